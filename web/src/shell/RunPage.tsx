/** One run with the workflow as it was when the run started: read-only, to inspect and to re-run from. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { loadRunWorkflow } from "../queries/runs";
import { EditorContext } from "../state/editorContext";
import { currentRun, openEditor, saveOpenDraft, workspaceStore } from "../state/workspace";
import { EmptyState } from "../ui/EmptyState";
import { EditorView } from "./EditorView";
import { useEditorCommands } from "./useEditorCommands";

export function RunPage({ id }: { id: string }) {
  const editor = useStore(workspaceStore, (state) => state.editor);
  const dialogs = useEditorCommands(editor);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isLeft = false;
    setFault(null);
    loadRunWorkflow(id)
      .then((workflow) => {
        if (isLeft) return;
        saveOpenDraft();
        const opened = openEditor({ workflow, isReadOnly: true }, currentRun() ?? undefined);
        if (opened.run.id !== id) opened.run.follow(id, workflow.name);
      })
      .catch((error: Error) => isLeft || setFault(error.message));
    return () => {
      isLeft = true;
    };
  }, [id]);
  if (fault) {
    return (
      <EmptyState icon="clock" title="This run cannot be shown" isPage>
        <p role="alert">{fault}</p>
        <a className="button button--primary" href="#/runs">
          Back to runs
        </a>
      </EmptyState>
    );
  }
  if (!editor?.document.isReadOnly) return <EmptyState title="Opening…" isPage />;
  return (
    <EditorContext key={editor.id} value={editor}>
      <EditorView {...dialogs} />
    </EditorContext>
  );
}
