/** The editor page: opens the workflow of the address and shows it. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { ApiError } from "../api/client";
import { ConflictDialog } from "../features/workflows/ConflictDialog";
import { newWorkflow } from "../model/workflow/workflow";
import { useFileSync } from "../queries/fileSync";
import { useToolStatuses } from "../queries/toolStatus";
import { useValidation } from "../queries/validation";
import type { StoredWorkflow } from "../queries/workflows";
import { loadWorkflow } from "../queries/workflows";
import { connectionStore } from "../state/connection";
import { autosaveDraft, dropDraft, readDraft, saveDraft } from "../state/drafts";
import type { Editor } from "../state/editor";
import { EditorContext, useEditor } from "../state/editorContext";
import { showPaletteIfRoom } from "../state/panels";
import { hrefTo } from "../state/route";
import { notifyRestored } from "../state/workflowNotice";
import {
  closeEditor,
  currentEditor,
  currentRun,
  openEditor,
  openNewDraft,
  openNewWorkflow,
  saveOpenDraft,
  UNTITLED,
  workspaceStore,
} from "../state/workspace";
import { EmptyState } from "../ui/EmptyState";
import type { EditorViewProps } from "./EditorView";
import { EditorView } from "./EditorView";
import { OpenFailure } from "./OpenFailure";
import { runOrAskForInputs, useEditorCommands } from "./useEditorCommands";

interface Props {
  /** The name of a stored workflow; null for a new one. */
  name: string | null;
  draftId?: string | null;
  runsAtOnce?: boolean;
}

/** `runsAtOnce` starts a run as soon as the workflow is open, for the button of the sample. */
export function EditorPage({ name, draftId = null, runsAtOnce = false }: Props) {
  const editor = useStore(workspaceStore, (state) => state.editor);
  const dialogs = useEditorCommands(editor);
  const runAtOnce = (opened: Editor) => runOrAskForInputs(opened, () => dialogs.setOpenDialog("inputs"));
  const { isThere, fault, retry } = useOpenWorkflow(name, draftId, runsAtOnce ? runAtOnce : null);
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

function isOpen(name: string | null, draftId: string | null): boolean {
  const editor = currentEditor();
  if (!editor || editor.document.isReadOnly || editor.document.storedAs !== name) return false;
  return name !== null || (draftId !== null && editor.document.draftId === draftId);
}

interface OpenState {
  /** False while the workspace still has the previous workflow, which is not rendered again. */
  isThere: boolean;
  fault: Error | null;
  retry(): void;
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpenWorkflow(
  name: string | null,
  draftId: string | null,
  afterOpening: ((editor: Editor) => void) | null,
): OpenState {
  const [opened, setOpened] = useState<string | null>(null);
  const address = hrefTo(name === null ? "new" : "w", name ?? draftId ?? "");
  const [fault, setFault] = useState<Error | null>(null);
  const [attempts, setAttempts] = useState(0);
  const retry = () => setAttempts((count) => count + 1);
  useEffect(() => {
    setFault(null);
    setOpened(address);
    if (isOpen(name, draftId)) return;
    if (name === null) {
      openDraftOrEmpty(draftId);
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
  }, [address, attempts]);
  useEffect(() => {
    if (!(fault instanceof ApiError && fault.isUnreachable)) return;
    return connectionStore.subscribe(({ link }) => link === "up" && retry());
  }, [fault]);
  // A workflow that was saved under another name is open before the address changes.
  return { isThere: opened === address || isOpen(name, draftId), fault, retry };
}

/** Opens the draft of the address; without one an empty workflow, whose draft gets an address. */
function openDraftOrEmpty(draftId: string | null): void {
  const editor = draftId === null ? null : openNewDraft(draftId);
  if (!editor) {
    showPaletteIfRoom();
    const { document } = openNewWorkflow(null, draftId ?? undefined);
    if (draftId === null) window.location.replace(hrefTo("new", document.draftId!));
    return;
  }
  const discard = () => {
    editor.document.reset({ workflow: newWorkflow(UNTITLED), draftId });
    saveDraft(editor.document);
  };
  notifyRestored(editor, "Unsaved new workflow restored", discard);
}

/** Opens a stored workflow with the edits of it that were not saved. */
function openStored({ workflow, name: storedAs, revision }: StoredWorkflow): Editor {
  const draft = readDraft({ storedAs });
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
    dropDraft({ storedAs });
  };
  notifyRestored(editor, "Unsaved changes restored", discard);
  return editor;
}
