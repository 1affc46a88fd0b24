/** Saves a workflow over the revision it was read at; a conflict waits for the user's decision. */

import { ApiError } from "../api/client";
import { safeText } from "../model/text/untrusted";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById, nodeName } from "../model/workflow/workflow";
import { dropDraft } from "../state/drafts";
import type { Editor } from "../state/editor";
import { moveInputs } from "../state/lastInputs";
import { notify, notifyError } from "../state/notices";
import { navigate } from "../state/route";
import { currentEditor } from "../state/workspace";
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
    const { draftId } = editor.document;
    editor.document.markSaved(workflow, stored.name, stored.revision);
    if (stored.name !== storedAs) moveInputs({ storedAs, draftId }, editor.document);
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
    } else if (error.code !== "WORKFLOW_NAME_TAKEN") notify(error.message, { tone: "bad", hint: error.hint });
    else if (storedAs === null && isUntitled(workflow)) return saveAs(editor, { onSaved, over });
    else offerNextName(editor, { onSaved, over });
    return false;
  }
}

/** Whether the user has not named it. */
function isUntitled({ name }: Workflow): boolean {
  return /^untitled(?: \d+)?$/.test(name);
}

/** The name with the next number: `report`, then `report 2`. */
function nextName(name: string): string {
  const [, base, number] = /^(.*?)(?: (\d{1,3}))?$/s.exec(name)!;
  return `${base} ${Number(number ?? 1) + 1}`;
}

/** Saves under the next name. */
function saveAs(editor: Editor, options: SaveOptions): Promise<boolean> {
  editor.document.edit((workflow) => ({ ...workflow, name: nextName(workflow.name) }));
  return saveNow(editor, options);
}

function offerNextName(editor: Editor, options: SaveOptions): void {
  const { name } = editor.document.workflow;
  notify(`${safeText(name).text} already exists`, {
    tone: "bad",
    hint: "Not saved. Choose another name for this workflow.",
    action: {
      title: `Save as ${safeText(nextName(name)).text}`,
      // Not if the user has chosen one since.
      run: () =>
        void (editor.document.workflow.name === name ? saveAs(editor, options) : save(editor, options)),
    },
  });
}
