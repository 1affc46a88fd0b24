/** A small map of the workflow while not all of it is in view; at rest it covers no node. */

import type { ReactFlowState } from "@xyflow/react";
import { MiniMap, useStore } from "@xyflow/react";
import { useEffect, useState } from "react";
import type { Box } from "../../model/layout/overview";
import { overviewState } from "../../model/layout/overview";

const MAP = { width: 150, height: 96, margin: 15 };
const REST_MS = 900;

export function OverviewMap() {
  const state = useStore(stateOf);
  const view = useStore(({ transform }) => transform);
  const [isMoving, setMoving] = useState(false);
  // While the view moves, the map shows where it goes, also over nodes.
  useEffect(() => {
    if (state !== "covering") return;
    setMoving(true);
    const timer = setTimeout(() => setMoving(false), REST_MS);
    return () => clearTimeout(timer);
  }, [state, view]);
  if (state === "needless" || (state === "covering" && !isMoving)) return null;
  return (
    <MiniMap
      style={{ width: MAP.width, height: MAP.height }}
      pannable
      zoomable
      ariaLabel="Overview"
      nodeColor="var(--line-strong)"
      maskColor="color-mix(in srgb, var(--canvas) 70%, transparent)"
    />
  );
}

function stateOf({ nodeLookup, transform: [x, y, zoom], width, height }: ReactFlowState) {
  const boxes: Box[] = [];
  for (const { internals, measured, initialWidth, initialHeight, parentId } of nodeLookup.values()) {
    if (parentId) continue;
    const { x: left, y: top } = internals.positionAbsolute;
    boxes.push({
      left: left * zoom + x,
      top: top * zoom + y,
      width: (measured.width ?? initialWidth ?? 0) * zoom,
      height: (measured.height ?? initialHeight ?? 0) * zoom,
    });
  }
  const { margin, ...size } = MAP;
  const map = { left: width - size.width - margin, top: height - size.height - margin, ...size };
  return overviewState(boxes, { left: 0, top: 0, width, height }, map);
}
