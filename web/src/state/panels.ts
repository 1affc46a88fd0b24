/** How the editor is arranged: which panels and overlays are open. The same for every workflow. */

import { createStore } from "zustand/vanilla";

export type SidePanel = "inspector" | "json" | "problems" | "builder" | null;

export interface PanelState {
  hasPalette: boolean;
  side: SidePanel;
  /** What the palette covers in a narrow window; it returns when the palette is closed. */
  coveredSide: SidePanel;
  hasRunPanel: boolean;
  /** The node that the overlay `node` shows. */
  openNode: string | null;
  /** Whether the node is run alone as soon as it is open. */
  runsOpenNode?: boolean;
  /** The overlay that is open, if any. */
  overlay:
    "node" | "add" | "commands" | "connect" | "disconnect" | "find" | "files" | "keys" | "servers" | null;
}

/** In a narrower window the palette is hidden at first, and shares its place with the side panel. */
const MIN_WIDTH_FOR_PALETTE = 1_200;
/** In a window up to this width the panels are below one another. */
const MAX_WIDTH_OF_ONE_COLUMN = 700;

export const panelStore = createStore<PanelState>(() => ({
  hasPalette: width() >= MIN_WIDTH_FOR_PALETTE,
  side: "inspector",
  coveredSide: null,
  hasRunPanel: false,
  openNode: null,
  overlay: null,
}));

/** For a new workflow, which begins with the palette. */
export function showPaletteIfRoom(): void {
  if (width() >= MIN_WIDTH_FOR_PALETTE) setPanels({ hasPalette: true });
}

export function setPanels(panels: Partial<PanelState>): void {
  panelStore.setState((before) => arrangePanels(before, panels, isNarrow()));
}

/** A node that was clicked is configured: the palette gives the side panel its place back. */
export function uncoverSide(): void {
  const { hasPalette, coveredSide } = panelStore.getState();
  if (isNarrow() && hasPalette && coveredSide !== null) setPanels({ hasPalette: false });
}

/** A node that was chosen shows its settings in place of the problems or the AI builder. */
export function showInspector(): void {
  const { side } = panelStore.getState();
  if (side === "problems" || side === "builder") setPanels({ side: "inspector" });
}

/** The panels after a change. In a narrow window the palette and the side panel are never open together. */
export function arrangePanels(
  before: PanelState,
  panels: Partial<PanelState>,
  isNarrowWindow: boolean,
): PanelState {
  const next = { ...before, ...panels };
  if (!next.hasPalette || !isNarrowWindow)
    return { ...next, side: next.side ?? ("side" in panels ? null : next.coveredSide), coveredSide: null };
  if (next.side === null) return "side" in panels ? { ...next, coveredSide: null } : next;
  if (panels.hasPalette) return { ...next, side: null, coveredSide: next.side };
  return { ...next, hasPalette: false, coveredSide: null };
}

function width(): number {
  return globalThis.innerWidth ?? Infinity;
}

function isNarrow(): boolean {
  return width() < MIN_WIDTH_FOR_PALETTE && !isOneColumn();
}

export function isOneColumn(): boolean {
  return width() <= MAX_WIDTH_OF_ONE_COLUMN;
}

// The inspector stays when a window gets narrower.
globalThis.addEventListener?.("resize", () => setPanels({}));
