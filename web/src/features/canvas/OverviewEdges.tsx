/** All connections drawn on one canvas element: when zoomed out, thousands are visible and none can be clicked. */

import type { Edge, ReactFlowState } from "@xyflow/react";
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

export function OverviewEdges({ edges }: { edges: readonly Edge[] }) {
  const store = useStoreApi();
  const picture = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let asked = 0;
    const draw = () => {
      asked = 0;
      if (picture.current) drawEdges(picture.current, store.getState(), edges);
    };
    const soon = () => {
      asked ||= requestAnimationFrame(draw);
    };
    soon();
    const stop = store.subscribe(soon);
    return () => {
      stop();
      cancelAnimationFrame(asked);
    };
  }, [store, edges]);
  return <canvas ref={picture} className="canvas__wires" aria-hidden="true" />;
}

function drawEdges(
  picture: HTMLCanvasElement,
  { width, height, transform, nodeLookup }: ReactFlowState,
  edges: readonly Edge[],
): void {
  const sharp = window.devicePixelRatio;
  const [wide, high] = [Math.round(width * sharp), Math.round(height * sharp)];
  if (picture.width !== wide) picture.width = wide;
  if (picture.height !== high) picture.height = high;
  const pen = picture.getContext("2d");
  if (!pen) return;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, wide, high);
  const [x, y, zoom] = transform;
  pen.setTransform(zoom * sharp, 0, 0, zoom * sharp, x * sharp, y * sharp);
  pen.strokeStyle = getComputedStyle(picture).color;
  // One pixel at every zoom.
  pen.lineWidth = 1 / zoom;
  pen.beginPath();
  for (const edge of edges) {
    const [from, to] = [nodeLookup.get(edge.source), nodeLookup.get(edge.target)];
    if (!from || !to) continue;
    const [start, end] = [from.internals.positionAbsolute, to.internals.positionAbsolute];
    pen.moveTo(start.x + (from.measured.width ?? 0), start.y + 28);
    pen.lineTo(end.x, end.y + 28);
  }
  pen.stroke();
}
