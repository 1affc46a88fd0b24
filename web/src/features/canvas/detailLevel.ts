/** The level of detail: in a large workflow that is zoomed out, nothing inside a node can be read. */

import { useStore } from "@xyflow/react";
import { createContext } from "react";

/** Below this zoom a title is less than five pixels high. */
const LOW_DETAIL_ZOOM = 0.36;
const NO_TITLE_ZOOM = 0.2;
/** Workflows with fewer nodes are always rendered in full detail. */
const MIN_NODES = 150;

export const LowDetail = createContext(false);

/** `hasNoTitles`: even the enlarged titles of the low detail level cannot be read. */
export function useDetailLevel(nodes: number): { isLowDetail: boolean; hasNoTitles: boolean } {
  const isMany = nodes > MIN_NODES;
  const isLowDetail = useStore(({ transform }) => isMany && transform[2] < LOW_DETAIL_ZOOM);
  const hasNoTitles = useStore(({ transform }) => isMany && transform[2] < NO_TITLE_ZOOM);
  return { isLowDetail, hasNoTitles };
}
