/** Saves a workflow over the revision it was read at; a conflict waits for the user's decision. */

import { ApiError } from "../api/client";
import { safeText } from "../model/text/untrusted";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById, nodeName } from "../model/workflow/workflow";
import { dropDraft } from "../state/drafts";
import type { Editor } from "../state/editor";
import { notify, notifyError } from "../state/notices";
import { navigate } from "../state/route";
import { currentEditor, UNTITLED } from "../state/workspace";
import { findInvalidValues } from "./validation";
import { saveWorkflow } from "./workflows";

export async function whenSaved(editor: Editor): Promise<void> {
  while (editor.activeSave) await editor.activeSave;
}

export interface SaveOptions {
  onSaved?(): void;
  /** The revision to overwrite, if it is not the one that was read. */
  over?: string | null;
}

/** Resolves to whether the workflow was saved. */
export async function save(editor: Editor, options: SaveOptions = {}): Promise<boolean> {
  await whenSaved(editor);
  const saving = saveIfValid(editor, options).finally(() => (editor.activeSave = null));
  editor.activeSave = saving;
  return saving;
}

/** Saves unless a value is invalid; then reports it, and saves only if the user wants to anyway. */
async function saveIfValid(editor: Editor, options: SaveOptions): Promise<boolean> {
  const [input] = editor.invalidInputs.of(editor.document.workflow);
  if (input) {
    // It is no value, so there is nothing that could be saved.
    const name = nodeName(nodeById(editor.document.workflow, input.node)!);
    const hint = `correct what you typed in ${safeText(name).text}, or clear the field`;
    notify(`Not saved: ${safeText(input.typed.slice(0, 60)).text} is not valid, ${input.fault}`, {
      tone: "bad",
      hint,
    });
    return false;
  }
  const [first, ...more] = await findInvalidValues(editor.document.workflow);
  if (!first) return saveNow(editor, options);
  const others = more.length ? `, and ${more.length} more` : "";
  notify(`Not saved: ${first.message}${others}`, {
    tone: "bad",
    hint: first.hint ?? null,
    action: { title: "Save anyway", run: () => void saveNow(editor, options) },
  });
  return false;
}

async function saveNow(editor: Editor, { onSaved, over }: SaveOptions): Promise<boolean> {
  const { history, storedAs, revision } = editor.document.store.getState();
  const workflow = history.present;
  try {
    const name = storedAs ?? workflow.name;
    const stored = await saveWorkflow(workflow, name, over === undefined ? revision : over);
    dropDraft(editor.document);
    editor.document.markSaved(workflow, stored.name, stored.revision);
    onSaved?.();
    if (stored.name !== storedAs && currentEditor() === editor) navigate("w", stored.name);
    notify("Saved", { tone: "good" });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) notifyError(error, "Not saved");
    else if (error.code === "WORKFLOW_CHANGED") {
      const { theirs, current } = error.facts as { theirs?: Workflow | null; current?: string | null };
      editor.setConflict({
        name: workflow.name,
        mine: workflow,
        theirs: theirs ?? null,
        current: current ?? null,
      });
    } else if (error.code === "WORKFLOW_NAME_TAKEN" && storedAs === null && takeNextName(editor)) {
      return saveNow(editor, { onSaved, over });
    } else notify(error.message, { tone: "bad", hint: error.hint });
    return false;
  }
}

const MAX_UNTITLED = 100;

/** Gives a workflow that the user has not named the next number; false if it has a name. */
function takeNextName({ document }: Editor): boolean {
  const number = /^untitled(?: (\d+))?$/.exec(document.workflow.name);
  const next = Number(number?.[1] ?? 1) + 1;
  if (!number || next > MAX_UNTITLED) return false;
  document.edit((workflow) => ({ ...workflow, name: `${UNTITLED} ${next}` }));
  return true;
}
