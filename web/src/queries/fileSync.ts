/** Keeps the open workflow in step with its file: reloads it, or asks if it has unsaved edits. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError } from "../api/client";
import type { Editor } from "../state/editor";
import { useDocument, useEditor } from "../state/editorContext";
import { notify } from "../state/notices";
import { versionStore } from "../state/topicVersions";
import { currentEditor } from "../state/workspace";
import { whenSaved } from "./save";
import type { StoredWorkflow } from "./workflows";
import { loadWorkflow } from "./workflows";

/** Revisions the user was asked about and left undecided; they are not asked about again. */
const askedRevisions = new Set<string>();

export function useFileSync(): void {
  const editor = useEditor();
  const version = useStore(versionStore, (state) => state.versions["workflows"]);
  // A restored draft may be based on a revision that is outdated by now.
  const revision = useDocument((state) => state.revision);
  useEffect(() => {
    if (version) void syncFile(editor);
  }, [editor, version, revision]);
  // The question is not asked on another page.
  useEffect(() => () => editor.setConflict(null), [editor]);
}

async function syncFile(editor: Editor): Promise<void> {
  for (;;) {
    await whenSaved(editor);
    const { isReadOnly, storedAs, revision } = editor.document.store.getState();
    if (isReadOnly || storedAs === null || revision === null) return;
    const stored = await loadCurrent(storedAs);
    const now = editor.document.store.getState();
    if (stored === "unknown" || now.storedAs !== storedAs || currentEditor() !== editor) return;
    // It was saved here in the meantime, so what was read may be older than that.
    if (editor.activeSave !== null || now.revision !== revision) continue;
    takeStored(editor, stored);
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

function takeStored(editor: Editor, stored: StoredWorkflow | null): void {
  const { document } = editor;
  const { workflow, storedAs } = document;
  const revision = stored?.revision ?? null;
  if (revision === document.store.getState().revision) return;
  if (stored && isSame(workflow, stored)) return document.markSaved(workflow, stored.name, stored.revision);
  if (stored && !document.isDirty) {
    document.replace(stored.workflow);
    document.markSaved(stored.workflow, stored.name, stored.revision);
    notify("Reloaded: changed in another tab or program", {
      action: { title: "Undo", run: () => document.undo() },
    });
    return;
  }
  const question = `${storedAs} ${revision}`;
  if (askedRevisions.has(question)) return;
  askedRevisions.add(question);
  const theirs = stored?.workflow ?? null;
  editor.setConflict({ name: workflow.name, mine: workflow, theirs, current: revision });
}

function isSame(mine: unknown, { workflow }: StoredWorkflow): boolean {
  return JSON.stringify(mine) === JSON.stringify(workflow);
}
