/** Unsaved edits outlive the page: kept in the browser until they are saved or thrown away. */

import type { DocumentState } from "./documentStore";
import { documentStore, isDirty } from "./documentStore";
import type { Workflow } from "./workflow";

const PREFIX = "toolweave.draft.";
const PAUSE_MS = 300;

export interface Draft {
  workflow: Workflow;
  revision: string | null;
}

function keyOf(storedAs: string | null): string {
  return PREFIX + (storedAs ?? "");
}

export function readDraft(storedAs: string | null): Draft | null {
  try {
    const text = localStorage.getItem(keyOf(storedAs));
    return text ? (JSON.parse(text) as Draft) : null;
  } catch {
    return null;
  }
}

export function dropDraft(storedAs: string | null): void {
  localStorage.removeItem(keyOf(storedAs));
}

/** Writes down what is unsaved now; nothing when all is saved. */
export function keepDraft(state: DocumentState = documentStore.getState()): void {
  if (!state.history || state.isReadOnly) return;
  const isUntouched = state.storedAs === null && state.history.past.length === 0;
  if (!isDirty(state) || isUntouched) return dropDraft(state.storedAs);
  try {
    const draft: Draft = { workflow: state.history.present, revision: state.revision };
    localStorage.setItem(keyOf(state.storedAs), JSON.stringify(draft));
  } catch {
    // The browser's store is full; the edits are still on the page.
  }
}

/** Keeps the draft up to date a moment after each edit, and when the page is left. */
export function watchDrafts(): () => void {
  let timer = 0;
  const later = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => keepDraft(), PAUSE_MS);
  };
  const leave = () => keepDraft();
  const stop = documentStore.subscribe(later);
  window.addEventListener("pagehide", leave);
  return () => {
    stop();
    window.removeEventListener("pagehide", leave);
  };
}
