/** Unsaved edits in the browser's storage: they outlive the page until they are saved or discarded. */

import { readStored, removeStored, storedNames, writeStored } from "../api/storage";
import type { Workflow } from "../model/workflow/workflow";
import type { WorkflowDocument } from "./document";
import { isDirty } from "./document";
import { notify } from "./notices";

const STORAGE_PREFIX = "toolweave.draft.";
/** Drafts of workflows that were never saved, by their own id. */
const NEW_PREFIX = "toolweave.new.";
const SAVE_DELAY_MS = 300;

export interface Draft {
  workflow: Workflow;
  revision: string | null;
}

/** What this tab wrote or read, by key; any other text under a key is from another tab. */
const ownDrafts = new Map<string, string>();
/** True if edits would be lost with the page. */
let isStorageFailing = false;

/** Whose draft it is: the name of a stored workflow, or the id of a new one. */
export interface DraftOwner {
  storedAs: string | null;
  draftId?: string | null;
}

function storageKey({ storedAs, draftId }: DraftOwner): string {
  return storedAs === null ? NEW_PREFIX + (draftId ?? "") : STORAGE_PREFIX + storedAs;
}

export interface NewDraft {
  id: string;
  workflow: Workflow;
}

/** The workflows that were never saved. */
export function listNewDrafts(): NewDraft[] {
  return storedNames("localStorage", NEW_PREFIX)
    .map((key) => key.slice(NEW_PREFIX.length))
    .sort()
    .flatMap((id) => {
      const draft = readDraft({ storedAs: null, draftId: id });
      return draft ? [{ id, workflow: draft.workflow }] : [];
    });
}

/** Whether a stored workflow has unsaved edits in this browser. */
export function hasDraft(storedAs: string): boolean {
  return readStored("localStorage", storageKey({ storedAs })) !== null;
}

export function readDraft(owner: DraftOwner): Draft | null {
  const key = storageKey(owner);
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

/** Stores a draft that was discarded again. */
export function restoreDraft(owner: DraftOwner, draft: Draft): void {
  const [key, text] = [storageKey(owner), JSON.stringify(draft)];
  ownDrafts.set(key, text);
  writeStored("localStorage", key, text);
}

export function dropDraft(owner: DraftOwner): void {
  const key = storageKey(owner);
  if (ownDrafts.has(key) && readStored("localStorage", key) === ownDrafts.get(key)) {
    removeStored("localStorage", key);
  }
  ownDrafts.delete(key);
}

/** Stores the unsaved edits of a document; drops its draft when there are none. */
export function saveDraft(document: WorkflowDocument): void {
  const state = document.store.getState();
  if (state.isReadOnly) return;
  const isUntouched = state.storedAs === null && state.history.past.length === 0;
  if (!isDirty(state) || isUntouched) return dropDraft(state);
  const key = storageKey(state);
  const draft: Draft = { workflow: state.history.present, revision: state.revision };
  const text = JSON.stringify(draft);
  if (text === ownDrafts.get(key)) return;
  ownDrafts.set(key, text);
  const isStored = writeStored("localStorage", key, text);
  if (!isStored && !isStorageFailing) {
    notify("Drafts cannot be stored: the browser storage is full or blocked", {
      tone: "bad",
      hint: "save before you close or reload the page",
    });
  }
  isStorageFailing = !isStored;
}

/** Saves the draft shortly after each edit, and when the page is left. */
export function autosaveDraft(document: WorkflowDocument): () => void {
  let timer = 0;
  const save = () => {
    window.clearTimeout(timer);
    timer = 0;
    saveDraft(document);
  };
  const scheduleSave = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(save, SAVE_DELAY_MS);
  };
  const confirmLeaving = (event: BeforeUnloadEvent) => {
    save();
    if (isStorageFailing && document.isDirty) event.preventDefault();
  };
  scheduleSave();
  const unsubscribe = document.store.subscribe(scheduleSave);
  window.addEventListener("pagehide", save);
  window.addEventListener("beforeunload", confirmLeaving);
  return () => {
    unsubscribe();
    if (timer) save();
    window.removeEventListener("pagehide", save);
    window.removeEventListener("beforeunload", confirmLeaving);
  };
}
