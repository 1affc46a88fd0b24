/** The level of detail: what can be read inside of a node at the zoom of the canvas. */

import { useStore } from "@xyflow/react";
import { createContext } from "react";
import { NAMES_ONLY_ZOOM } from "../../model/layout/initialView";

/** Below this zoom a title is less than five pixels high. */
const LOW_DETAIL_ZOOM = 0.36;
const NO_TITLE_ZOOM = 0.2;
/** The nodes of smaller workflows are always rendered with their names and ports. */
const MIN_NODES = 150;

export const LowDetail = createContext(false);

interface DetailLevel {
  /** Titles are enlarged, and other texts are left out. */
  hasNamesOnly: boolean;
  isLowDetail: boolean;
  /** Even the enlarged titles of the low detail level cannot be read. */
  hasNoTitles: boolean;
}

export function useDetailLevel(nodes: number): DetailLevel {
  const isMany = nodes > MIN_NODES;
  const hasNamesOnly = useStore(({ transform }) => transform[2] < NAMES_ONLY_ZOOM);
  const isLowDetail = useStore(({ transform }) => isMany && transform[2] < LOW_DETAIL_ZOOM);
  const hasNoTitles = useStore(({ transform }) => isMany && transform[2] < NO_TITLE_ZOOM);
  return { hasNamesOnly, isLowDetail, hasNoTitles };
}
