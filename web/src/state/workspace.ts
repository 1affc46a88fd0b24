/** Which workflow is open. It stays open while other pages are shown, and they reach it here. */

import { createStore } from "zustand/vanilla";
import type { Workflow } from "../model/workflow/workflow";
import { newWorkflow } from "../model/workflow/workflow";
import type { OpenOptions } from "./document";
import { readDraft, saveDraft } from "./drafts";
import { Editor } from "./editor";
import { FollowedRun } from "./run";

/** The name of a new workflow; saving adds a number if it is taken. */
export const UNTITLED = "untitled";

export const workspaceStore = createStore<{ editor: Editor | null }>(() => ({ editor: null }));

/** The run of an editor that was closed, while the next editor of the same workflow is loading. */
let detachedRun: FollowedRun | null = null;

export function currentEditor(): Editor | null {
  return workspaceStore.getState().editor;
}

/** The run that is on screen, or was until the editor was closed. */
export function currentRun(): FollowedRun | null {
  return currentEditor()?.run ?? detachedRun;
}

/** Opens a workflow in place of the current one; the old run is dropped unless it is passed on. */
export function openEditor(options: OpenOptions, run: FollowedRun = new FollowedRun()): Editor {
  const previous = currentRun();
  if (previous !== run) previous?.clear();
  detachedRun = null;
  const editor = new Editor(options, run);
  workspaceStore.setState({ editor });
  return editor;
}

/** Closes the editor before another workflow is loaded; its run is kept if that is the run's workflow. */
export function closeEditor(next: string | null): void {
  const run = currentRun();
  const isKept = run !== null && run.workflow === next;
  if (!isKept) run?.clear();
  detachedRun = isKept ? run : null;
  workspaceStore.setState({ editor: null });
}

/** Writes the unsaved edits of the open workflow to the browser's storage. */
export function saveOpenDraft(): void {
  const editor = currentEditor();
  if (editor) saveDraft(editor.document);
}

export function hasUnsavedEdits(): boolean {
  return currentEditor()?.document.isDirty ?? false;
}

/** Opens the draft of a workflow that was never saved; null if there is none. */
export function openNewDraft(draftId: string): Editor | null {
  const draft = readDraft({ storedAs: null, draftId });
  if (!draft) return null;
  saveOpenDraft();
  return openEditor({ workflow: newWorkflow(UNTITLED), draft: draft.workflow, draftId });
}

/** Opens a workflow that is not stored: the given one, else an empty one. */
export function openNewWorkflow(workflow: Workflow | null, draftId: string = createDraftId()): Editor {
  saveOpenDraft();
  const editor = openEditor({ workflow: newWorkflow(UNTITLED), draft: workflow, draftId });
  // Kept at once, because the page is opened at the address of the draft.
  if (workflow) saveDraft(editor.document);
  return editor;
}

let lastDraft = 0;

/** Sorts by the time of creation. */
function createDraftId(): string {
  lastDraft = Math.max(Date.now(), lastDraft + 1);
  return lastDraft.toString(36);
}
