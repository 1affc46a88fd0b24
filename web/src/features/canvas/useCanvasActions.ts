/** Lets the rest of the page use the canvas: where its middle is, show all, bring a node into view. */

import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { setCanvas } from "../../model/viewStore";

export function useCanvasActions(): void {
  const flow = useReactFlow();
  useEffect(() => {
    setCanvas({
      center() {
        const box = document.querySelector(".canvas")?.getBoundingClientRect();
        return flow.screenToFlowPosition({ x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: (box?.top ?? 0) + (box?.height ?? 0) / 2 });
      },
      fit: () => void flow.fitView({ maxZoom: 1, padding: 0.2, duration: 200 }),
      reveal: (id) => void flow.fitView({ nodes: [{ id }], maxZoom: Math.min(1, flow.getZoom()), minZoom: Math.min(1, flow.getZoom()), duration: 200 }),
    });
    return () => setCanvas(null);
  }, [flow]);
}
