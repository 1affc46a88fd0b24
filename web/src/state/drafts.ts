/** Unsaved edits outlive the page: kept in the browser until they are saved or thrown away. */

import { removeStored, readStored, writeStored } from "../api/storage";
import type { DocumentState } from "./document";
import { documentStore, isDirty, openDocument, replaceWorkflow } from "./document";
import { notify } from "./notices";
import type { Workflow } from "../model/workflow/workflow";
import { newWorkflow } from "../model/workflow/workflow";

const STORAGE_PREFIX = "toolweave.draft.";
const SAVE_DELAY_MS = 300;

export interface Draft {
  workflow: Workflow;
  revision: string | null;
}

/** By key, what this tab wrote or read; another text there is another tab's. */
const ownDrafts = new Map<string, string>();
/** Whether edits would be gone with the page. */
let isStorageFailing = false;

function storageKey(storedAs: string | null): string {
  return STORAGE_PREFIX + (storedAs ?? "");
}

export function readDraft(storedAs: string | null): Draft | null {
  const key = storageKey(storedAs);
  const text = readStored("localStorage", key);
  if (!text) return null;
  try {
    const draft = JSON.parse(text) as Draft;
    if (!Array.isArray(draft.workflow.nodes) || !Array.isArray(draft.workflow.connections)) return null;
    ownDrafts.set(key, text);
    return draft;
  } catch {
    return null;
  }
}

export function dropDraft(storedAs: string | null): void {
  const key = storageKey(storedAs);
  if (ownDrafts.has(key) && readStored("localStorage", key) === ownDrafts.get(key))
    removeStored("localStorage", key);
  ownDrafts.delete(key);
}

/** Writes down what is unsaved now; nothing when all is saved. */
export function saveDraft(state: DocumentState = documentStore.getState()): void {
  if (!state.history || state.isReadOnly) return;
  const isUntouched = state.storedAs === null && state.history.past.length === 0;
  if (!isDirty(state) || isUntouched) return dropDraft(state.storedAs);
  const key = storageKey(state.storedAs);
  const text = JSON.stringify({ workflow: state.history.present, revision: state.revision } satisfies Draft);
  if (text === ownDrafts.get(key)) return;
  ownDrafts.set(key, text);
  const isKept = writeStored("localStorage", key, text);
  if (!isKept && !isStorageFailing)
    notify("This browser keeps no drafts: its storage is full or blocked", {
      tone: "bad",
      hint: "save before you close or reload the page",
    });
  isStorageFailing = !isKept;
}

/** Opens a workflow that is not stored yet: a given one, or what was left unsaved, or an empty one. */
export function openNewWorkflow(workflow: Workflow | null): { hasLeft: boolean } {
  saveDraft();
  const previousDraft = readDraft(null)?.workflow ?? null;
  openDocument({ workflow: newWorkflow("untitled"), draft: previousDraft });
  // What was left stays one undo away from the given one.
  if (workflow) replaceWorkflow(workflow);
  return { hasLeft: previousDraft !== null };
}

/** Keeps the draft up to date a moment after each edit, and when the page is left. */
export function autosaveDrafts(): () => void {
  let timer = 0;
  const scheduleSave = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => saveDraft(), SAVE_DELAY_MS);
  };
  const saveNow = () => saveDraft();
  const confirmLeaving = (event: BeforeUnloadEvent) => {
    saveDraft();
    if (isStorageFailing && isDirty(documentStore.getState())) event.preventDefault();
  };
  const stop = documentStore.subscribe(scheduleSave);
  window.addEventListener("pagehide", saveNow);
  window.addEventListener("beforeunload", confirmLeaving);
  return () => {
    stop();
    window.removeEventListener("pagehide", saveNow);
    window.removeEventListener("beforeunload", confirmLeaving);
  };
}
