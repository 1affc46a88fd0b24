/** Lays out the nodes of a workflow in a worker, so that the page stays responsive with many nodes. */

import type { LayoutResult } from "../model/layout/autoLayout";
import { applyLayout, layoutRequest } from "../model/layout/layoutRequest";
import type { Editor } from "./editor";
import { notify } from "./notices";

const activeWorkers = new WeakMap<Editor, Worker>();

/** Lays out the current workflow; a second call while the first one is running replaces it. */
export function tidyWorkflow(editor: Editor): void {
  const { workflow } = editor.document;
  if (workflow.nodes.length === 0) return;
  activeWorkers.get(editor)?.terminate();
  const worker = new Worker(new URL("../model/layout/layout.worker.ts", import.meta.url), { type: "module" });
  activeWorkers.set(editor, worker);
  const stop = () => {
    worker.terminate();
    if (activeWorkers.get(editor) === worker) activeWorkers.delete(editor);
  };
  worker.onmessage = (message: MessageEvent<LayoutResult>) => {
    stop();
    editor.canvas?.animateNodes();
    editor.document.edit((current) => applyLayout(current, message.data));
    requestAnimationFrame(() => editor.canvas?.showInitialView());
  };
  worker.onerror = () => {
    stop();
    notify("Not tidied", { tone: "bad", hint: "the nodes stay where they are" });
  };
  worker.postMessage(layoutRequest(workflow, editor.canvas?.sizes()));
}
