/** Pins the output of a node, taken from the run on the canvas. */

import type { Pin } from "../model/workflow/studioData";
import { removePins, setPin } from "../model/workflow/studioData";
import { announce } from "./announcements";
import type { Editor } from "./editor";

/** The last output of a node in the run on the canvas; null if there is none, or only a part of it. */
export function lastOutput(editor: Editor, node: string): Pin | null {
  const { run } = editor.run.store.getState();
  const step = run?.steps[run.stepsOfNode[node]?.at(-1) ?? ""];
  if (!step || step.status !== "success" || step.value === undefined || step.truncated) return null;
  return { output: step.value, ...(step.ports ? { ports: [...step.ports] } : {}) };
}

export function pinOutput(editor: Editor, node: string, pin: Pin): void {
  editor.document.edit((workflow) => setPin(workflow, node, pin));
  announce("Output pinned");
}

export function unpinOutput(editor: Editor, node: string): void {
  editor.document.edit((workflow) => removePins(workflow, new Set([node])));
  announce("Output unpinned");
}
