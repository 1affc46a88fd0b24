/** Saves the open workflow over the revision it was read at; a conflict waits for a person. */

import { ApiError } from "../api/client";
import { conflictStore } from "../state/conflict";
import { currentWorkflow, documentStore, isDirty, markSaved } from "../state/document";
import { dropDraft } from "../state/drafts";
import { notify, notifyError } from "../state/notices";
import { navigate } from "../state/route";
import type { Workflow } from "../model/workflow/workflow";
import { findInvalidValues } from "./validation";
import { saveWorkflow } from "./workflows";

let activeSave: Promise<unknown> | null = null;

/** Whether a save is under way, which changes the file by itself. */
export function isSaving(): boolean {
  return activeSave !== null;
}

export async function whenSaved(): Promise<void> {
  while (activeSave) await activeSave;
}

/** Whether it is saved now. `over` is a revision that was looked at, other than the one read. */
export async function save(onSaved: () => void = () => {}, over?: string | null): Promise<boolean> {
  await whenSaved();
  const mine = saveIfValid(onSaved, over).finally(() => (activeSave = null));
  activeSave = mine;
  return mine;
}

/** Saves unless a value is wrong; then says which, and saves it only if that is wanted all the same. */
async function saveIfValid(onSaved: () => void, over?: string | null): Promise<boolean> {
  const workflow = currentWorkflow();
  const [first, ...more] = workflow ? await findInvalidValues(workflow) : [];
  if (!first) return saveNow(onSaved, over);
  const others = more.length ? `, and ${more.length} more` : "";
  notify(`Not saved: ${first.message}${others}`, {
    tone: "bad",
    hint: first.hint ?? null,
    action: { title: "Save anyway", run: () => void saveNow(onSaved, over) },
  });
  return false;
}

async function saveNow(onSaved: () => void, over?: string | null): Promise<boolean> {
  const { history, storedAs, revision } = documentStore.getState();
  if (!history) return false;
  const workflow = history.present;
  try {
    const stored = await saveWorkflow(
      workflow,
      storedAs ?? workflow.name,
      over === undefined ? revision : over,
    );
    dropDraft(storedAs);
    markSaved(workflow, stored.name, stored.revision);
    onSaved();
    if (stored.name !== storedAs) navigate("w", stored.name);
    notify("Saved", { tone: "good" });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) notifyError(error, "Not saved");
    else if (error.code === "WORKFLOW_CHANGED") {
      const { theirs, current } = error.facts as { theirs?: Workflow | null; current?: string | null };
      conflictStore.setState({
        conflict: { name: workflow.name, mine: workflow, theirs: theirs ?? null, current: current ?? null },
      });
    } else notify(error.message, { tone: "bad", hint: error.hint });
    return false;
  }
}

export function hasUnsaved(): boolean {
  return isDirty(documentStore.getState());
}
