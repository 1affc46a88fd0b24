/** The editor page: opens the workflow of the address and shows it. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { ApiError } from "../api/client";
import { ConflictDialog } from "../features/workflows/ConflictDialog";
import { useFileSync } from "../queries/fileSync";
import { useToolStatuses } from "../queries/toolStatus";
import { useValidation } from "../queries/validation";
import type { StoredWorkflow } from "../queries/workflows";
import { loadWorkflow } from "../queries/workflows";
import { connectionStore } from "../state/connection";
import { autosaveDraft, dropDraft, readDraft, saveDraft } from "../state/drafts";
import type { Editor } from "../state/editor";
import { EditorContext, useEditor } from "../state/editorContext";
import { notify } from "../state/notices";
import {
  closeEditor,
  currentEditor,
  currentRun,
  openEditor,
  openNewWorkflow,
  saveOpenDraft,
  workspaceStore,
} from "../state/workspace";
import { EmptyState } from "../ui/EmptyState";
import type { EditorViewProps } from "./EditorView";
import { EditorView } from "./EditorView";
import { OpenFailure } from "./OpenFailure";
import { runOrAskForInputs, useEditorCommands } from "./useEditorCommands";

/** `runsAtOnce` starts a run as soon as the workflow is open, for the button of the sample. */
export function EditorPage({ name, runsAtOnce = false }: { name: string | null; runsAtOnce?: boolean }) {
  const editor = useStore(workspaceStore, (state) => state.editor);
  const dialogs = useEditorCommands(editor);
  const runAtOnce = (opened: Editor) => runOrAskForInputs(opened, () => dialogs.setOpenDialog("inputs"));
  const { isThere, fault, retry } = useOpenWorkflow(name, runsAtOnce ? runAtOnce : null);
  if (!editor || !isThere || editor.document.isReadOnly) {
    if (fault && name !== null) return <OpenFailure name={name} fault={fault} onAgain={retry} />;
    return <EmptyState title="Opening…" isPage />;
  }
  return (
    <EditorContext key={editor.id} value={editor}>
      <OpenWorkflow {...dialogs} />
    </EditorContext>
  );
}

/** The open workflow, validated and saved as a draft while it is edited. */
function OpenWorkflow(dialogs: EditorViewProps) {
  const editor = useEditor();
  useEffect(() => autosaveDraft(editor.document), [editor]);
  useValidation();
  useToolStatuses();
  useFileSync();
  return (
    <>
      <ConflictDialog />
      <EditorView {...dialogs} />
    </>
  );
}

function isOpen(name: string | null): boolean {
  const editor = currentEditor();
  return editor !== null && !editor.document.isReadOnly && editor.document.storedAs === name;
}

interface OpenState {
  /** False while the workspace still has the previous workflow, which is not rendered again. */
  isThere: boolean;
  fault: Error | null;
  retry(): void;
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpenWorkflow(name: string | null, afterOpening: ((editor: Editor) => void) | null): OpenState {
  const [opened, setOpened] = useState<{ name?: string | null }>({});
  const [fault, setFault] = useState<Error | null>(null);
  const [attempts, setAttempts] = useState(0);
  const retry = () => setAttempts((count) => count + 1);
  useEffect(() => {
    setFault(null);
    setOpened({ name });
    if (isOpen(name)) return;
    if (name === null) {
      openDraftOrEmpty();
      return;
    }
    saveOpenDraft();
    closeEditor(name);
    let isLeft = false;
    loadWorkflow(name)
      .then((stored) => {
        if (isLeft) return;
        const editor = openStored(stored);
        if (afterOpening) {
          window.history.replaceState(null, "", window.location.hash.replace(/\?run$/, ""));
          afterOpening(editor);
        }
      })
      .catch((error: Error) => isLeft || setFault(error));
    return () => {
      isLeft = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `afterOpening` applies to the first opening only
  }, [name, attempts]);
  useEffect(() => {
    if (!(fault instanceof ApiError && fault.isUnreachable)) return;
    return connectionStore.subscribe(({ link }) => link === "up" && retry());
  }, [fault]);
  // A workflow that was saved under another name is open before the address changes.
  return { isThere: opened.name === name || isOpen(name), fault, retry };
}

/** Opens the new workflow that was left unsaved, or an empty one. */
function openDraftOrEmpty(): void {
  const { editor, hadDraft } = openNewWorkflow(null);
  if (!hadDraft) return;
  const discard = () => {
    editor.document.undo();
    saveDraft(editor.document);
  };
  notify("The new workflow you had not saved is back", { action: { title: "Throw away", run: discard } });
}

/** Opens a stored workflow with the edits of it that were not saved. */
function openStored({ workflow, name: storedAs, revision }: StoredWorkflow): Editor {
  const draft = readDraft(storedAs);
  const options = {
    workflow,
    storedAs,
    revision: draft?.revision ?? revision,
    draft: draft?.workflow ?? null,
  };
  const editor = openEditor(options, currentRun() ?? undefined);
  if (!draft) return editor;
  const discard = () => {
    editor.document.reset({ workflow, storedAs, revision });
    dropDraft(storedAs);
  };
  notify("Your unsaved edits are back", { action: { title: "Throw away", run: discard } });
  return editor;
}
