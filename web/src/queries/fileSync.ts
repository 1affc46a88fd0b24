/** The open workflow follows its file: one without edits is read again, one with edits is not touched. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError } from "../api/client";
import { conflictStore } from "../state/conflict";
import type { DocumentState } from "../state/document";
import { documentStore, isDirty, markSaved, replaceWorkflow, undoEdit } from "../state/document";
import { versionStore } from "../state/topicVersions";
import { notify } from "../state/notices";
import { isSaving, whenSaved } from "./save";
import type { StoredWorkflow } from "./workflows";
import { loadWorkflow } from "./workflows";

/** Revisions a person was asked about already, and left undecided. */
const askedRevisions = new Set<string>();

export function useFileSync(): void {
  const version = useStore(versionStore, (state) => state.versions["workflows"]);
  // Edits that come back may be those of a file that is another one by now.
  const revision = useStore(documentStore, (state) => state.revision);
  useEffect(() => {
    if (version) void syncFile();
  }, [version, revision]);
  // A question belongs to the workflow that was open.
  useEffect(() => () => conflictStore.setState({ conflict: null }), []);
}

async function syncFile(): Promise<void> {
  for (;;) {
    await whenSaved();
    const before = documentStore.getState();
    if (!before.history || before.isReadOnly || before.storedAs === null || before.revision === null) return;
    const stored = await loadCurrent(before.storedAs);
    const now = documentStore.getState();
    if (stored === "unknown" || now.storedAs !== before.storedAs || now.isReadOnly) return;
    // Saved here meanwhile: what was read may be older than that.
    if (isSaving() || now.revision !== before.revision) continue;
    takeStored(now, stored);
    return;
  }
}

async function loadCurrent(name: string): Promise<StoredWorkflow | null | "unknown"> {
  try {
    return await loadWorkflow(name);
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? null : "unknown";
  }
}

function takeStored(now: DocumentState, stored: StoredWorkflow | null): void {
  const workflow = now.history!.present;
  const revision = stored?.revision ?? null;
  if (revision === now.revision) return;
  if (stored && isSame(workflow, stored)) return markSaved(workflow, stored.name, stored.revision);
  if (stored && !isDirty(now)) {
    replaceWorkflow(stored.workflow);
    markSaved(stored.workflow, stored.name, stored.revision);
    return notify("Read again, as its file was changed elsewhere", {
      action: { title: "Undo", run: undoEdit },
    });
  }
  const question = `${now.storedAs} ${revision}`;
  if (askedRevisions.has(question)) return;
  askedRevisions.add(question);
  conflictStore.setState({
    conflict: { name: workflow.name, mine: workflow, theirs: stored?.workflow ?? null, current: revision },
  });
}

function isSame(mine: unknown, { workflow }: StoredWorkflow): boolean {
  return JSON.stringify(mine) === JSON.stringify(workflow);
}
