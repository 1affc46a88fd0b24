/** Seen from afar: a large workflow, so small on the screen that nothing in a node can be read. */

import { useStore } from "@xyflow/react";
import { createContext } from "react";

/** Below this a title has less than five pixels. */
const LOW_DETAIL_ZOOM = 0.36;
const NO_TITLE_ZOOM = 0.2;
/** Fewer nodes are drawn whole at every zoom. */
const MIN_NODES = 150;

export const LowDetail = createContext(false);

/** `isFarther`: nor can the large titles be read that nodes have from afar. */
export function useDetailLevel(nodes: number): { isFar: boolean; isFarther: boolean } {
  const isMany = nodes > MIN_NODES;
  const isFar = useStore(({ transform }) => isMany && transform[2] < LOW_DETAIL_ZOOM);
  const isFarther = useStore(({ transform }) => isMany && transform[2] < NO_TITLE_ZOOM);
  return { isFar, isFarther };
}
