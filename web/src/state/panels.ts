/** How the editor is arranged, and what the canvas can do for others: its middle, fitting, finding. */

import { createStore } from "zustand/vanilla";
import type { Sizes } from "../model/layout/geometry";
import type { Position } from "../model/workflow/workflow";

export type Side = "inspector" | "json" | "problems" | null;

export interface ViewState {
  hasPalette: boolean;
  side: Side;
  hasRunPanel: boolean;
  /** The overlay that is open, if any. */
  overlay: "add" | "commands" | "connect" | "disconnect" | "find" | "files" | "keys" | "servers" | null;
}

/** Narrower than this a palette leaves no room for the canvas; its key and its button show it. */
const ROOM_FOR_PALETTE = 1_000;

export const viewStore = createStore<ViewState>(() => ({ hasPalette: (globalThis.innerWidth ?? Infinity) >= ROOM_FOR_PALETTE, side: "inspector", hasRunPanel: false, overlay: null }));

export function show(view: Partial<ViewState>): void {
  viewStore.setState(view);
}

export interface CanvasActions {
  center(): Position;
  /** The place on the canvas under a point of the page. */
  at(x: number, y: number): Position;
  /** How large each node is drawn. */
  sizes(): Sizes;
  fit(): void;
  /** Shows what is shown when a workflow is opened: all of it, or where it begins. */
  begin(): void;
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
