/** All connections drawn on one canvas element: when zoomed out, thousands are visible and none can be clicked. */

import type { Edge, ReactFlowState } from "@xyflow/react";
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

export function OverviewEdges({ edges }: { edges: readonly Edge[] }) {
  const store = useStoreApi();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      if (canvas.current) drawEdges(canvas.current, store.getState(), edges);
    };
    const scheduleDraw = () => {
      frame ||= requestAnimationFrame(draw);
    };
    scheduleDraw();
    const stop = store.subscribe(scheduleDraw);
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [store, edges]);
  return <canvas ref={canvas} className="canvas__wires" aria-hidden="true" />;
}

function drawEdges(
  canvas: HTMLCanvasElement,
  { width, height, transform, nodeLookup }: ReactFlowState,
  edges: readonly Edge[],
): void {
  const pixelRatio = window.devicePixelRatio;
  const [deviceWidth, deviceHeight] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
  if (canvas.width !== deviceWidth) canvas.width = deviceWidth;
  if (canvas.height !== deviceHeight) canvas.height = deviceHeight;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, deviceWidth, deviceHeight);
  const [x, y, zoom] = transform;
  context.setTransform(zoom * pixelRatio, 0, 0, zoom * pixelRatio, x * pixelRatio, y * pixelRatio);
  context.strokeStyle = getComputedStyle(canvas).color;
  // One pixel at every zoom.
  context.lineWidth = 1 / zoom;
  context.beginPath();
  for (const edge of edges) {
    const [from, to] = [nodeLookup.get(edge.source), nodeLookup.get(edge.target)];
    if (!from || !to) continue;
    const [start, end] = [from.internals.positionAbsolute, to.internals.positionAbsolute];
    context.moveTo(start.x + (from.measured.width ?? 0), start.y + 28);
    context.lineTo(end.x, end.y + 28);
  }
  context.stroke();
}
