/** Pins the last output of a node; one that was too large for the canvas is loaded first. */

import { countOf } from "../model/text/formatValue";
import type { Pin } from "../model/workflow/studioData";
import { pinOf } from "../model/workflow/studioData";
import type { Json } from "../model/workflow/workflow";
import { nodeById, nodeTitle } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";
import { notify, notifyError } from "../state/notices";
import { lastOutput, pinOutput, unpinOutput } from "../state/pinnedData";
import { loadValue } from "./runs";

/** Pins are sent with the workflow after each edit, so that larger ones would slow down the editor. */
const MAX_CHARS = 1_000_000;

/** Pins the last output of a node, or removes its pin. */
export async function togglePin(editor: Editor, node: string): Promise<void> {
  if (pinOf(editor.document.workflow, node)) return unpinOutput(editor, node);
  await pinLastOutput(editor, node);
}

export async function pinLastOutput(editor: Editor, node: string): Promise<void> {
  try {
    const pin = lastOutput(editor, node) ?? (await wholeOutput(editor, node));
    if (pin) return pinOutput(editor, node, pin);
  } catch (error) {
    notifyError(error, "Not pinned");
    return;
  }
  const target = nodeById(editor.document.workflow, node);
  notify(`${target ? nodeTitle(target) : node} has no output to pin`, {
    hint: "Run the workflow first, or open the node and enter its output.",
  });
}

async function wholeOutput(editor: Editor, node: string): Promise<Pin | null> {
  const { run } = editor.run.store.getState();
  const step = run?.steps[run.stepsOfNode[node]?.at(-1) ?? ""];
  if (!run || !step?.truncated || step.status !== "success") return null;
  const text = await (await loadValue({ run: run.id, step: step.key, part: "output" })).text();
  if (text.length > MAX_CHARS)
    throw new Error(`the output has ${countOf(text.length, "character")}; enter a shorter one instead`);
  return { output: JSON.parse(text) as Json, ...(step.ports ? { ports: [...step.ports] } : {}) };
}
