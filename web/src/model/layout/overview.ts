/** Whether a map of the workflow is needed, and whether it would cover a node. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** `needless` if every node is in view, `covering` if one is under the map. */
export type OverviewState = "needless" | "free" | "covering";

export function overviewState(nodes: readonly Box[], view: Box, map: Box): OverviewState {
  if (nodes.every((node) => contains(view, node))) return "needless";
  return nodes.some((node) => overlaps(map, node)) ? "covering" : "free";
}

function contains(outer: Box, inner: Box): boolean {
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.left + inner.width <= outer.left + outer.width &&
    inner.top + inner.height <= outer.top + outer.height
  );
}

function overlaps(a: Box, b: Box): boolean {
  return (
    b.left < a.left + a.width &&
    b.left + b.width > a.left &&
    b.top < a.top + a.height &&
    b.top + b.height > a.top
  );
}
