/** How the editor is arranged, and what the canvas can do for others: its middle, fitting, finding. */

import { createStore } from "zustand/vanilla";
import type { NodeSizes } from "../model/layout/geometry";
import type { Position } from "../model/workflow/workflow";

export type SidePanel = "inspector" | "json" | "problems" | null;

export interface PanelState {
  hasPalette: boolean;
  side: SidePanel;
  hasRunPanel: boolean;
  /** The overlay that is open, if any. */
  overlay: "add" | "commands" | "connect" | "disconnect" | "find" | "files" | "keys" | "servers" | null;
}

/** Narrower than this a palette leaves no room for the canvas; its key and its button show it. */
const MIN_WIDTH_FOR_PALETTE = 1_000;

export const panelStore = createStore<PanelState>(() => ({
  hasPalette: (globalThis.innerWidth ?? Infinity) >= MIN_WIDTH_FOR_PALETTE,
  side: "inspector",
  hasRunPanel: false,
  overlay: null,
}));

export function setPanels(view: Partial<PanelState>): void {
  panelStore.setState(view);
}

export interface CanvasActions {
  center(): Position;
  /** The place on the canvas under a point of the page. */
  positionAt(x: number, y: number): Position;
  /** How large each node is drawn. */
  sizes(): NodeSizes;
  fit(): void;
  /** Shows what is shown when a workflow is opened: all of it, or where it begins. */
  showInitialView(): void;
  /** Brings a node into view, if it is not; `isClose` so that it can be read. */
  reveal(nodeId: string, isClose?: boolean): void;
  /** Takes the focus to a node, or to the canvas itself. */
  focus(nodeId?: string): void;
}

let canvas: CanvasActions | null = null;

/** The canvas that is on the page makes itself known. */
export function setCanvas(actions: CanvasActions | null): void {
  canvas = actions;
}

export function canvasActions(): CanvasActions | null {
  return canvas;
}
