/** Where the node search was opened: what is chosen is placed there and connected. */

import { createStore } from "zustand/vanilla";
import type { InsertionPoint } from "../model/workflow/insertion";
import { setPanels } from "./panels";

export interface NodeSearch {
  point: InsertionPoint;
  /** The position on the page next to which the search appears. */
  x: number;
  y: number;
}

/** Null when the search was opened with a key: it adds after the selected node. */
export const nodeSearchStore = createStore<{ search: NodeSearch | null }>(() => ({ search: null }));

export function openNodeSearch(
  point: InsertionPoint,
  { clientX, clientY }: { clientX: number; clientY: number },
): void {
  nodeSearchStore.setState({ search: { point, x: clientX, y: clientY } });
  setPanels({ overlay: "add" });
}

export function closeNodeSearch(): void {
  nodeSearchStore.setState({ search: null });
  setPanels({ overlay: null });
}
