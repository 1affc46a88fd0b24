/** One run on the workflow as it was when the run began: to look at, and to run again from. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { documentStore, openDocument } from "../state/document";
import { keepDraft } from "../state/drafts";
import { clearProblems } from "../state/problems";
import { runStore, watchRun } from "../state/run";
import { loadPinned } from "../queries/runs";
import { Empty } from "../ui/EmptyState";
import { Editor } from "./EditorView";
import { useEditorCommands } from "./useEditorCommands";

export function RunPage({ id }: { id: string }) {
  const { asked, ask } = useEditorCommands();
  const [fault, setFault] = useState<string | null>(null);
  const workflow = useStore(documentStore, (state) => (state.isReadOnly ? (state.history?.present ?? null) : null));
  useEffect(() => {
    setFault(null);
    loadPinned(id)
      .then((pinned) => {
        keepDraft();
        clearProblems();
        openDocument({ workflow: pinned, isReadOnly: true });
        if (runStore.getState().run?.id !== id) watchRun(id, pinned.name);
      })
      .catch((error: Error) => setFault(error.message));
  }, [id]);
  if (fault) {
    return (
      <Empty title="This run cannot be shown" isPage>
        <p>{fault}</p>
        <a href="#/runs">To all runs</a>
      </Empty>
    );
  }
  return workflow ? <Editor workflow={workflow} asked={asked} ask={ask} /> : <Empty title="Opening…" isPage />;
}
