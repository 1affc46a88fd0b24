/** How the editor is arranged: which panels and overlays are open. The same for every workflow. */

import { createStore } from "zustand/vanilla";

export type SidePanel = "inspector" | "json" | "problems" | "builder" | null;

export interface PanelState {
  hasPalette: boolean;
  side: SidePanel;
  hasRunPanel: boolean;
  /** The node that the overlay `node` shows. */
  openNode: string | null;
  /** Whether the node is run alone as soon as it is open. */
  runsOpenNode?: boolean;
  /** The overlay that is open, if any. */
  overlay:
    "node" | "add" | "commands" | "connect" | "disconnect" | "find" | "files" | "keys" | "servers" | null;
}

/** In a narrower window the palette is hidden at first; its key and its button show it. */
const MIN_WIDTH_FOR_PALETTE = 1_200;

export const panelStore = createStore<PanelState>(() => ({
  hasPalette: (globalThis.innerWidth ?? Infinity) >= MIN_WIDTH_FOR_PALETTE,
  side: "inspector",
  hasRunPanel: false,
  openNode: null,
  overlay: null,
}));

/** For a new workflow, which begins with the palette. */
export function showPaletteIfRoom(): void {
  if (window.innerWidth >= MIN_WIDTH_FOR_PALETTE) setPanels({ hasPalette: true });
}

export function setPanels(panels: Partial<PanelState>): void {
  panelStore.setState(panels);
}
