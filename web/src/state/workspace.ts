/** Which workflow is open. It stays open while other pages are shown, and they reach it here. */

import { createStore } from "zustand/vanilla";
import type { Workflow } from "../model/workflow/workflow";
import { newWorkflow } from "../model/workflow/workflow";
import type { OpenOptions } from "./document";
import { readDraft, saveDraft } from "./drafts";
import { Editor } from "./editor";
import { FollowedRun } from "./run";

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

/** Opens a workflow that is not stored: the given one, else the draft that was left, else an empty one. */
export function openNewWorkflow(workflow: Workflow | null): { editor: Editor; hadDraft: boolean } {
  saveOpenDraft();
  const draft = readDraft(null)?.workflow ?? null;
  const editor = openEditor({ workflow: newWorkflow("untitled"), draft });
  // Undo brings the draft back after the given workflow replaced it.
  if (workflow) editor.document.replace(workflow);
  return { editor, hadDraft: draft !== null };
}
