/** Tidies the open workflow, in a worker: the page stays usable however many nodes there are. */

import { currentWorkflow, edit } from "./documentStore";
import type { LayoutAnswer } from "./layout";
import { notify } from "./noticeStore";
import { requestOf, tidied } from "./tidying";
import { canvasActions } from "./viewStore";

let running: Worker | null = null;

/** Lays out the workflow as it is now; a second call while one is at work replaces it. */
export function tidy(): void {
  const workflow = currentWorkflow();
  if (!workflow || workflow.nodes.length === 0) return;
  running?.terminate();
  const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
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
