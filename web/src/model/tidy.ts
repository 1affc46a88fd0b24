/** Tidies the open workflow, in a worker: the page stays usable however many nodes there are. */

import { currentWorkflow, edit } from "./documentStore";
import { moveNodes } from "./edits";
import type { LayoutAnswer, LayoutRequest } from "./layout";
import { canvasActions } from "./viewStore";
import type { Workflow } from "./workflow";

let running: Worker | null = null;

/** Lays out the workflow as it is now; a second call while one is at work replaces it. */
export function tidy(): void {
  const workflow = currentWorkflow();
  if (!workflow || workflow.nodes.length === 0) return;
  running?.terminate();
  const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
  running = worker;
  worker.onmessage = (message: MessageEvent<LayoutAnswer>) => {
    worker.terminate();
    running = null;
    const places = new Map(message.data.map(({ id, position }) => [id, position]));
    edit((now) => moveNodes(now, places));
    requestAnimationFrame(() => canvasActions()?.begin());
  };
  worker.postMessage(requestOf(workflow));
}

export function requestOf(workflow: Workflow): LayoutRequest {
  return {
    nodes: workflow.nodes.map((node) => ({
      id: node.id,
      ...(node.parentId ? { parentId: node.parentId } : {}),
      ...(node.type === "group" ? { width: node.style?.width ?? 360, height: node.style?.height ?? 220 } : {}),
    })),
    edges: workflow.connections.map(({ from, to }) => ({ from, to })),
  };
}
