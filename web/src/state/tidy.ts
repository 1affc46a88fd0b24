/** Tidies the open workflow, in a worker: the page stays usable however many nodes there are. */

import { currentWorkflow, edit } from "./document";
import type { LayoutResult } from "../model/layout/autoLayout";
import { notify } from "./notices";
import { layoutRequest, applyLayout } from "../model/layout/layoutRequest";
import { canvasActions } from "./panels";

let activeWorker: Worker | null = null;

/** Lays out the workflow as it is now; a second call while one is at work replaces it. */
export function tidyWorkflow(): void {
  const workflow = currentWorkflow();
  if (!workflow || workflow.nodes.length === 0) return;
  activeWorker?.terminate();
  const worker = new Worker(new URL("../model/layout/layout.worker.ts", import.meta.url), { type: "module" });
  activeWorker = worker;
  const done = () => {
    worker.terminate();
    if (activeWorker === worker) activeWorker = null;
  };
  worker.onmessage = (message: MessageEvent<LayoutResult>) => {
    done();
    edit((now) => applyLayout(now, message.data));
    requestAnimationFrame(() => canvasActions()?.showInitialView());
  };
  worker.onerror = () => {
    done();
    notify("Not tidied", { tone: "bad", hint: "the nodes stay where they are" });
  };
  worker.postMessage(layoutRequest(workflow, canvasActions()?.sizes()));
}
