/** How the run panel is shown: its height, and the view of values that was chosen last. */

import { createStore } from "zustand/vanilla";
import { readStored, writeStored } from "../api/storage";
import type { ValueLook } from "../model/data/valueLooks";

export interface RunPanelState {
  height: number;
  /** Null until the user chooses one: then each value is shown in the view that suits it. */
  look: ValueLook | null;
}

export const INITIAL_HEIGHT = 290;
export const MIN_HEIGHT = 140;
/** What is left of the window for the canvas above the panel. */
const MIN_ABOVE = 220;
const HEIGHT = "toolweave.run-panel.height";

export function maxHeight(): number {
  return Math.max(MIN_HEIGHT, window.innerHeight - MIN_ABOVE);
}

export const runPanelStore = createStore<RunPanelState>(() => ({ height: storedHeight(), look: null }));

function storedHeight(): number {
  const height = Number(readStored("localStorage", HEIGHT));
  return height >= MIN_HEIGHT ? height : INITIAL_HEIGHT;
}

export function setHeight(height: number): void {
  runPanelStore.setState({ height });
  writeStored("localStorage", HEIGHT, String(height));
}

export function setLook(look: ValueLook): void {
  runPanelStore.setState({ look });
}
