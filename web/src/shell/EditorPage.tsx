/** The editor: opens a workflow and arranges palette, canvas, side panel and run panel. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { ConflictDialog } from "../features/workflows/ConflictDialog";
import { ApiError } from "../api/client";
import { connectionStore } from "../state/connection";
import { closeDocument, documentStore, openDocument, undoEdit } from "../state/document";
import { dropDraft, saveDraft, openNewWorkflow, readDraft, autosaveDrafts } from "../state/drafts";
import { notify } from "../state/notices";
import { clearRun, runStore } from "../state/run";
import { useValidation } from "../queries/validation";
import { useFileSync } from "../queries/fileSync";
import { useToolStatuses } from "../queries/toolStatus";
import type { StoredWorkflow } from "../queries/workflows";
import { loadWorkflow } from "../queries/workflows";
import { EmptyState } from "../ui/EmptyState";
import { EditorView } from "./EditorView";
import { OpenFailure } from "./OpenFailure";
import { runOrAskForInputs, useEditorCommands } from "./useEditorCommands";

/** `runs` starts it at once, as the sample's button promises. */
export function EditorPage({ name, runsAtOnce = false }: { name: string | null; runsAtOnce?: boolean }) {
  const { openDialog, setOpenDialog } = useEditorCommands();
  const { isThere, fault, retry } = useOpenWorkflow(
    name,
    runsAtOnce ? () => runOrAskForInputs(() => setOpenDialog("inputs")) : null,
  );
  useEffect(autosaveDrafts, []);
  const workflow = useStore(documentStore, (state) =>
    state.isReadOnly || !isThere ? null : (state.history?.present ?? null),
  );
  useValidation(workflow);
  useToolStatuses(workflow);
  useFileSync();
  if (!workflow)
    return fault && name !== null ? (
      <OpenFailure name={name} fault={fault} onAgain={retry} />
    ) : (
      <EmptyState title="Opening…" isPage />
    );
  return (
    <>
      <ConflictDialog />
      <EditorView workflow={workflow} openDialog={openDialog} setOpenDialog={setOpenDialog} />
    </>
  );
}

function isOpen(name: string | null): boolean {
  const { history, isReadOnly, storedAs } = documentStore.getState();
  return history !== null && !isReadOnly && storedAs === name;
}

interface OpenState {
  /** Until then the store has the one before, which would be drawn for nothing. */
  isThere: boolean;
  fault: Error | null;
  retry(): void;
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpenWorkflow(name: string | null, afterOpening: (() => void) | null): OpenState {
  const [opened, setOpened] = useState<{ name?: string | null }>({});
  const [fault, setFault] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const retry = () => setTries((count) => count + 1);
  useEffect(() => {
    setFault(null);
    setOpened({ name });
    if (isOpen(name)) return;
    saveDraft();
    if (runStore.getState().workflow !== name) clearRun();
    if (name === null) {
      if (openNewWorkflow(null).hasLeft)
        notify("The new workflow you had not saved is back", {
          action: { title: "Throw away", run: undoEdit },
        });
      return;
    }
    closeDocument();
    let isLeft = false;
    loadWorkflow(name)
      .then((stored) => {
        if (isLeft) return;
        openStored(stored);
        if (afterOpening) {
          window.history.replaceState(null, "", window.location.hash.replace(/\?run$/, ""));
          afterOpening();
        }
      })
      .catch((error: Error) => isLeft || setFault(error));
    return () => {
      isLeft = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `afterOpening` applies to the first opening only
  }, [name, tries]);
  useEffect(() => {
    if (!(fault instanceof ApiError && fault.isUnreachable)) return;
    return connectionStore.subscribe(({ link }) => link === "up" && retry());
  }, [fault]);
  // A workflow saved under another name is open before its address says so.
  return { isThere: opened.name === name || isOpen(name), fault, retry };
}

/** Opens what is stored, with the edits of it that were not saved. */
function openStored({ workflow, name: storedAs, revision }: StoredWorkflow): void {
  const draft = readDraft(storedAs);
  openDocument({ workflow, storedAs, revision: draft?.revision ?? revision, draft: draft?.workflow ?? null });
  if (!draft) return;
  const throwAway = () => {
    openDocument({ workflow, storedAs, revision });
    dropDraft(storedAs);
  };
  notify("Your unsaved edits are back", { action: { title: "Throw away", run: throwAway } });
}
