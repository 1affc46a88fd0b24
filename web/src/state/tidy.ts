/** Tidies the open workflow, in a worker: the page stays usable however many nodes there are. */

import { currentWorkflow, edit } from "./document";
import type { LayoutAnswer } from "../model/layout/autoLayout";
import { notify } from "./notices";
import { requestOf, tidied } from "../model/layout/layoutRequest";
import { canvasActions } from "./panels";

let running: Worker | null = null;

/** Lays out the workflow as it is now; a second call while one is at work replaces it. */
export function tidy(): void {
  const workflow = currentWorkflow();
  if (!workflow || workflow.nodes.length === 0) return;
  running?.terminate();
  const worker = new Worker(new URL("../model/layout/layout.worker.ts", import.meta.url), { type: "module" });
  running = worker;
  const done = () => {
    worker.terminate();
    if (running === worker) running = null;
  };
  worker.onmessage = (message: MessageEvent<LayoutAnswer>) => {
    done();
    edit((now) => tidied(now, message.data));
    requestAnimationFrame(() => canvasActions()?.begin());
  };
  worker.onerror = () => {
    done();
    notify("Not tidied", { tone: "bad", hint: "the nodes stay where they are" });
  };
  worker.postMessage(requestOf(workflow, canvasActions()?.sizes()));
}
