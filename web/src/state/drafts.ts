/** Unsaved edits outlive the page: kept in the browser until they are saved or thrown away. */

import { forget, readStored, store } from "../api/storage";
import type { DocumentState } from "./document";
import { documentStore, isDirty, openDocument, replaceWorkflow } from "./document";
import { notify } from "./notices";
import type { Workflow } from "../model/workflow/workflow";
import { newWorkflow } from "../model/workflow/workflow";

const PREFIX = "toolweave.draft.";
const PAUSE_MS = 300;

export interface Draft {
  workflow: Workflow;
  revision: string | null;
}

/** By key, what this tab wrote or read; another text there is another tab's. */
const own = new Map<string, string>();
/** Whether edits would be gone with the page. */
let isForgetful = false;

function keyOf(storedAs: string | null): string {
  return PREFIX + (storedAs ?? "");
}

export function readDraft(storedAs: string | null): Draft | null {
  const key = keyOf(storedAs);
  const text = readStored("localStorage", key);
  if (!text) return null;
  try {
    const draft = JSON.parse(text) as Draft;
    if (!Array.isArray(draft.workflow.nodes) || !Array.isArray(draft.workflow.connections)) return null;
    own.set(key, text);
    return draft;
  } catch {
    return null;
  }
}

export function dropDraft(storedAs: string | null): void {
  const key = keyOf(storedAs);
  if (own.has(key) && readStored("localStorage", key) === own.get(key)) forget("localStorage", key);
  own.delete(key);
}

/** Writes down what is unsaved now; nothing when all is saved. */
export function keepDraft(state: DocumentState = documentStore.getState()): void {
  if (!state.history || state.isReadOnly) return;
  const isUntouched = state.storedAs === null && state.history.past.length === 0;
  if (!isDirty(state) || isUntouched) return dropDraft(state.storedAs);
  const key = keyOf(state.storedAs);
  const text = JSON.stringify({ workflow: state.history.present, revision: state.revision } satisfies Draft);
  if (text === own.get(key)) return;
  own.set(key, text);
  const isKept = store("localStorage", key, text);
  if (!isKept && !isForgetful) notify("This browser keeps no drafts: its storage is full or blocked", { tone: "bad", hint: "save before you close or reload the page" });
  isForgetful = !isKept;
}

/** Opens a workflow that is not stored yet: a given one, or what was left unsaved, or an empty one. */
export function openNew(workflow: Workflow | null): { hasLeft: boolean } {
  keepDraft();
  const left = readDraft(null)?.workflow ?? null;
  openDocument({ workflow: newWorkflow("untitled"), draft: left });
  // What was left stays one undo away from the given one.
  if (workflow) replaceWorkflow(workflow);
  return { hasLeft: left !== null };
}

/** Keeps the draft up to date a moment after each edit, and when the page is left. */
export function watchDrafts(): () => void {
  let timer = 0;
  const later = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => keepDraft(), PAUSE_MS);
  };
  const leave = () => keepDraft();
  const ask = (event: BeforeUnloadEvent) => {
    keepDraft();
    if (isForgetful && isDirty(documentStore.getState())) event.preventDefault();
  };
  const stop = documentStore.subscribe(later);
  window.addEventListener("pagehide", leave);
  window.addEventListener("beforeunload", ask);
  return () => {
    stop();
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("beforeunload", ask);
  };
}
