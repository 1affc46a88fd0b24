/** One run on the workflow as it was when the run began: to look at, and to run again from. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { documentStore, openDocument } from "../state/document";
import { saveDraft } from "../state/drafts";
import { clearProblems } from "../state/problems";
import { runStore, watchRun } from "../state/run";
import { loadRunWorkflow } from "../queries/runs";
import { EmptyState } from "../ui/EmptyState";
import { EditorView } from "./EditorView";
import { useEditorCommands } from "./useEditorCommands";

export function RunPage({ id }: { id: string }) {
  const { openDialog, setOpenDialog } = useEditorCommands();
  const [fault, setFault] = useState<string | null>(null);
  const workflow = useStore(documentStore, (state) =>
    state.isReadOnly ? (state.history?.present ?? null) : null,
  );
  useEffect(() => {
    setFault(null);
    loadRunWorkflow(id)
      .then((pinned) => {
        saveDraft();
        clearProblems();
        openDocument({ workflow: pinned, isReadOnly: true });
        if (runStore.getState().run?.id !== id) watchRun(id, pinned.name);
      })
      .catch((error: Error) => setFault(error.message));
  }, [id]);
  if (fault) {
    return (
      <EmptyState title="This run cannot be shown" isPage>
        <p>{fault}</p>
        <a href="#/runs">To all runs</a>
      </EmptyState>
    );
  }
  return workflow ? (
    <EditorView workflow={workflow} openDialog={openDialog} setOpenDialog={setOpenDialog} />
  ) : (
    <EmptyState title="Opening…" isPage />
  );
}
