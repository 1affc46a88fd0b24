/** Lets the rest of the page use the canvas: where its middle is, show all, bring a node into view. */

import { useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { setCanvas } from "../../model/viewStore";

/** Gives what the canvas calls when it was moved: until a person does, all stays in view. */
export function useCanvasActions(): { onMoveEnd(event: unknown): void } {
  const flow = useReactFlow();
  const wasMoved = useRef(false);
  useEffect(() => {
    const box = document.querySelector(".canvas");
    if (!box) return;
    // A panel that opens must not hide what was in view.
    const watching = new ResizeObserver(() => {
      if (!wasMoved.current) void flow.fitView({ maxZoom: 1, padding: 0.15 });
    });
    watching.observe(box);
    return () => watching.disconnect();
  }, [flow]);
  useEffect(() => {
    setCanvas({
      center() {
        const box = document.querySelector(".canvas")?.getBoundingClientRect();
        return flow.screenToFlowPosition({ x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: (box?.top ?? 0) + (box?.height ?? 0) / 2 });
      },
      fit: () => {
        wasMoved.current = false;
        void flow.fitView({ maxZoom: 1, padding: 0.15, duration: 200 });
      },
      reveal: (id) => void flow.fitView({ nodes: [{ id }], maxZoom: Math.min(1, flow.getZoom()), minZoom: Math.min(1, flow.getZoom()), duration: 200 }),
    });
    return () => setCanvas(null);
  }, [flow]);
  return useMemo(() => ({ onMoveEnd: (event: unknown) => void (event && (wasMoved.current = true)) }), []);
}
