/** Seen from afar: a large workflow, so small on the screen that nothing in a node can be read. */

import { useStore } from "@xyflow/react";
import { createContext } from "react";

/** Below this a title has less than five pixels. */
const FAR_ZOOM = 0.36;
const FARTHER_ZOOM = 0.2;
/** Fewer nodes are drawn whole at every zoom. */
const MANY_NODES = 150;

export const Far = createContext(false);

/** `isFarther`: nor can the large titles be read that nodes have from afar. */
export function useFar(nodes: number): { isFar: boolean; isFarther: boolean } {
  const isMany = nodes > MANY_NODES;
  const isFar = useStore(({ transform }) => isMany && transform[2] < FAR_ZOOM);
  const isFarther = useStore(({ transform }) => isMany && transform[2] < FARTHER_ZOOM);
  return { isFar, isFarther };
}
