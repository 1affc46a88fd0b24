/** Registers the canvas with the editor, for the rest of the page to find its center, fit it or reveal a node. */

import type { ReactFlowInstance } from "@xyflow/react";
import { useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { NODE_SIZE } from "../../model/layout/geometry";
import { initialView, READABLE_ZOOM } from "../../model/layout/initialView";
import type { Editor } from "../../state/editor";
import { useEditor } from "../../state/editorContext";
import { CanvasPress, DOUBLE_CLICK_MS } from "./canvasPress";

/** Returns a handler for moves; until the user moves the canvas, it keeps the initial view or the revealed node. */
export function useCanvasActions(): { onMoveEnd(event: unknown): void } {
  const editor = useEditor();
  const flow = useReactFlow();
  const wasMoved = useRef(false);
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    const box = canvasElement();
    if (!box) return;
    const press = new CanvasPress(box);
    let place = box.getBoundingClientRect();
    let reveal = 0;
    // A panel that opens must not cover what was visible.
    const watching = new ResizeObserver(() => {
      const before = place;
      place = box.getBoundingClientRect();
      if (press.isRecent()) {
        // A panel that a click opens must not move what the next click of a double click is meant for.
        keepInPlace(flow, before, place);
        window.clearTimeout(reveal);
        reveal = window.setTimeout(() => revealSelected(flow, editor, press), DOUBLE_CLICK_MS);
        return;
      }
      if (wasMoved.current) return;
      showInitialView(flow, 0);
      if (flow.getInternalNode(revealed.current ?? "")) revealWhenKnown(flow, revealed.current!, 0);
    });
    watching.observe(box);
    return () => {
      watching.disconnect();
      press.stop();
      window.clearTimeout(reveal);
    };
  }, [editor, flow]);
  useEffect(() => {
    editor.setCanvas({
      center() {
        const box = document.querySelector(".canvas")?.getBoundingClientRect();
        return flow.screenToFlowPosition({
          x: (box?.left ?? 0) + (box?.width ?? 0) / 2,
          y: (box?.top ?? 0) + (box?.height ?? 0) / 2,
        });
      },
      positionAt: (x, y) => flow.screenToFlowPosition({ x, y }),
      sizes: () =>
        new Map(
          flow
            .getNodes()
            // Nodes out of view are not measured; their size is computed.
            .map(({ id, measured, initialWidth, initialHeight }) => [
              id,
              {
                width: measured?.width ?? initialWidth ?? NODE_SIZE.width,
                height: measured?.height ?? initialHeight ?? NODE_SIZE.height,
              },
            ]),
        ),
      showInitialView: () => {
        wasMoved.current = false;
        revealed.current = null;
        showInitialView(flow, animationMs());
      },
      fit: () => {
        // Without this, the next resize would return to the initial view.
        wasMoved.current = true;
        showInitialView(flow, animationMs());
      },
      showAll: () => {
        wasMoved.current = true;
        void flow.fitView({ maxZoom: 1, padding: 0.15, duration: animationMs() });
      },
      reveal(id, isClose = false) {
        revealed.current = id;
        // A copy that was just added: to fit a node that is not known yet shows an empty place.
        if (!flow.getInternalNode(id)) return revealWhenKnown(flow, id, animationMs());
        const zoom = Math.min(1, Math.max(flow.getZoom(), isClose ? READABLE_ZOOM : 0));
        if (zoom > flow.getZoom() || !isInView(nodeElement(id)))
          void flow.fitView({ nodes: [{ id }], maxZoom: zoom, minZoom: zoom, duration: animationMs() });
      },
      animateNodes() {
        const canvas = canvasElement();
        if (!canvas || flow.getNodes().length > MAX_ANIMATED_NODES) return;
        canvas.classList.add("canvas--tidying");
        window.setTimeout(() => canvas.classList.remove("canvas--tidying"), 2 * ANIMATION_MS);
      },
      revealAdded(id) {
        revealed.current = id;
        revealWhenKnown(flow, id, animationMs());
      },
      focus: (id) => focusWhenDrawn(id, { number: ++focusRequest, dialog: focusedDialog() }),
    });
    return () => editor.setCanvas(null);
  }, [editor, flow]);
  return useMemo(() => ({ onMoveEnd: (event: unknown) => void (event && (wasMoved.current = true)) }), []);
}

const ANIMATION_MS = 200;
const MAX_ANIMATED_NODES = 300;
const MAX_FRAMES = 600;

/** How long the view is animated; not at all if the user prefers reduced motion. */
function animationMs(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ANIMATION_MS;
}

function canvasElement(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".canvas");
}

/** Leaves everything where it is on the screen, though the canvas got another place. */
function keepInPlace(flow: ReactFlowInstance, before: DOMRect, after: DOMRect): void {
  const [right, down] = [before.left - after.left, before.top - after.top];
  const view = flow.getViewport();
  if (right !== 0 || down !== 0) void flow.setViewport({ ...view, x: view.x + right, y: view.y + down });
}

/** Moves the view so that the selected node is in it, unless the user does something with the canvas. */
function revealSelected(
  flow: ReactFlowInstance,
  { document: { selection } }: Editor,
  press: CanvasPress,
): void {
  const [selected] = selection;
  if (selected && selection.size === 1 && !press.isRecent()) revealWhenKnown(flow, selected, animationMs());
}

function nodeElement(id: string): HTMLElement | null {
  return (
    canvasElement()?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? null
  );
}

function isInView(node: HTMLElement | null): boolean {
  const [box, frame] = [node?.getBoundingClientRect(), canvasElement()?.getBoundingClientRect()];
  return (
    box !== undefined &&
    frame !== undefined &&
    box.left >= frame.left &&
    box.right <= frame.right &&
    box.top >= frame.top &&
    box.bottom <= frame.bottom
  );
}

/** The number of the latest focus request; earlier requests that still wait are dropped. */
let focusRequest = 0;

interface FocusRequest {
  number: number;
  /** The dialog that had the focus when the request was made. */
  dialog: Element | null;
}

function focusedDialog(): Element | null {
  return document.activeElement?.closest("[role=dialog]") ?? null;
}

/**
 * A node that is scrolled into view or was just added is rendered some frames later. If the user has opened a
 * dialog by then, the focus stays there.
 */
function focusWhenDrawn(id: string | undefined, request: FocusRequest, frames = MAX_FRAMES): void {
  const dialog = focusedDialog();
  if (request.number !== focusRequest || (dialog && dialog !== request.dialog)) return;
  const node = id === undefined ? canvasElement() : nodeElement(id);
  if (node) node.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(id, request, frames - 1));
}

/** Moves the view just so far that all of a node, which the canvas gets with its next render, is in it. */
function revealWhenKnown(flow: ReactFlowInstance, id: string, duration: number, frames = MAX_FRAMES): void {
  const node = flow.getInternalNode(id);
  const box = canvasElement()?.getBoundingClientRect();
  if (!node || !box) {
    if (frames > 0) requestAnimationFrame(() => revealWhenKnown(flow, id, duration, frames - 1));
    return;
  }
  const { x, y } = node.internals.positionAbsolute;
  const { width = NODE_SIZE.width, height = NODE_SIZE.height } = node.measured;
  const [start, end] = [
    flow.flowToScreenPosition({ x, y }),
    flow.flowToScreenPosition({ x: x + width, y: y + height }),
  ];
  const view = flow.getViewport();
  const [right, down] = [
    shiftInto(start.x, end.x, box.left + REVEAL_MARGIN, box.right - REVEAL_MARGIN),
    shiftInto(start.y, end.y, box.top + REVEAL_MARGIN, box.bottom - REVEAL_MARGIN),
  ];
  if (right !== 0 || down !== 0)
    void flow.setViewport({ ...view, x: view.x + right, y: view.y + down }, { duration });
}

/** Room for the toolbar of the node and for the next connection. */
const REVEAL_MARGIN = 48;

/** How far to move what lies from `start` to `end`, so that it lies within `low` and `high`. */
function shiftInto(start: number, end: number, low: number, high: number): number {
  if (start < low || end - start > high - low) return low - start;
  return end > high ? high - end : 0;
}

function showInitialView(flow: ReactFlowInstance, duration: number): void {
  const box = document.querySelector(".canvas");
  if (box)
    void flow.setViewport(initialView(flow.getNodes(), box.clientWidth, box.clientHeight), { duration });
}
