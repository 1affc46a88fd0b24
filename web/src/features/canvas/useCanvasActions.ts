/** Lets the rest of the page use the canvas: where its middle is, show all, bring a node into view. */

import type { ReactFlowInstance } from "@xyflow/react";
import { useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { NODE_SIZE } from "../../model/layout/geometry";
import { openingView, READING_ZOOM } from "../../model/layout/initialView";
import { setCanvas } from "../../state/panels";

/** Gives what the canvas calls when it was moved: until a person does, it stays as it was opened. */
export function useCanvasActions(): { onMoveEnd(event: unknown): void } {
  const flow = useReactFlow();
  const wasMoved = useRef(false);
  useEffect(() => {
    const box = document.querySelector(".canvas");
    if (!box) return;
    // A panel that opens must not hide what was in view.
    const watching = new ResizeObserver(() => {
      if (!wasMoved.current) begin(flow, 0);
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
      at: (x, y) => flow.screenToFlowPosition({ x, y }),
      sizes: () => new Map(flow.getNodes().map(({ id, measured }) => [id, { width: measured?.width ?? NODE_SIZE.width, height: measured?.height ?? NODE_SIZE.height }])),
      begin: () => {
        wasMoved.current = false;
        begin(flow, glideMs());
      },
      fit: () => {
        // The next change of size would take it back to where the workflow begins.
        wasMoved.current = true;
        void flow.fitView({ maxZoom: 1, padding: 0.15, duration: glideMs() });
      },
      reveal(id, isClose = false) {
        const zoom = Math.min(1, Math.max(flow.getZoom(), isClose ? READING_ZOOM : 0));
        if (zoom > flow.getZoom() || !isInView(drawnNode(id))) void flow.fitView({ nodes: [{ id }], maxZoom: zoom, minZoom: zoom, duration: glideMs() });
      },
      focus: (id) => focusSoon(id, ++asked),
    });
    return () => setCanvas(null);
  }, [flow]);
  return useMemo(() => ({ onMoveEnd: (event: unknown) => void (event && (wasMoved.current = true)) }), []);
}

const GLIDE_MS = 200;
const MOST_FRAMES = 600;

/** How long the view glides; at once for who wants no motion. */
function glideMs(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : GLIDE_MS;
}

function canvasBox(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".canvas");
}

function drawnNode(id: string): HTMLElement | null {
  return canvasBox()?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? null;
}

function isInView(node: HTMLElement | null): boolean {
  const [box, frame] = [node?.getBoundingClientRect(), canvasBox()?.getBoundingClientRect()];
  return box !== undefined && frame !== undefined && box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}

/** How often the focus was asked for: who asked before the last one does not get it any more. */
let asked = 0;

/** A node that comes into view or was just added is drawn some frames later. */
function focusSoon(id: string | undefined, number: number, frames = MOST_FRAMES): void {
  if (number !== asked) return;
  const node = id === undefined ? canvasBox() : drawnNode(id);
  if (node) node.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusSoon(id, number, frames - 1));
}

function begin(flow: ReactFlowInstance, duration: number): void {
  const box = document.querySelector(".canvas");
  if (box) void flow.setViewport(openingView(flow.getNodes(), box.clientWidth, box.clientHeight), { duration });
}
