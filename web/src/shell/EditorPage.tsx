/** The editor: opens a workflow and arranges palette, canvas, side panel and run panel. */

import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { ConflictDialog } from "../features/workflows/ConflictDialog";
import { ApiError } from "../api/client";
import { connectionStore } from "../state/connection";
import { closeDocument, documentStore, openDocument, undoEdit } from "../state/document";
import { dropDraft, keepDraft, openNew, readDraft, watchDrafts } from "../state/drafts";
import { notify } from "../state/notices";
import { forgetRun, runStore } from "../state/run";
import { useChecking } from "../queries/validation";
import { useFollowedFile } from "../queries/fileSync";
import { useStanding } from "../queries/toolStatus";
import type { Stored } from "../queries/workflows";
import { loadWorkflow } from "../queries/workflows";
import { Empty } from "../ui/EmptyState";
import { Editor } from "./EditorView";
import { Unopened } from "./OpenFailure";
import { runOrAsk, useEditorCommands } from "./useEditorCommands";

/** `runs` starts it at once, as the sample's button promises. */
export function EditorPage({ name, runs = false }: { name: string | null; runs?: boolean }) {
  const { asked, ask } = useEditorCommands();
  const { isThere, fault, again } = useOpened(name, runs ? () => runOrAsk(() => ask("inputs")) : null);
  useEffect(watchDrafts, []);
  const workflow = useStore(documentStore, (state) => (state.isReadOnly || !isThere ? null : (state.history?.present ?? null)));
  useChecking(workflow);
  useStanding(workflow);
  useFollowedFile();
  if (!workflow) return fault && name !== null ? <Unopened name={name} fault={fault} onAgain={again} /> : <Empty title="Opening…" isPage />;
  return (
    <>
      <ConflictDialog />
      <Editor workflow={workflow} asked={asked} ask={ask} />
    </>
  );
}

function isOpen(name: string | null): boolean {
  const { history, isReadOnly, storedAs } = documentStore.getState();
  return history !== null && !isReadOnly && storedAs === name;
}

interface Opening {
  /** Until then the store has the one before, which would be drawn for nothing. */
  isThere: boolean;
  fault: Error | null;
  again(): void;
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpened(name: string | null, then: (() => void) | null): Opening {
  const [opened, setOpened] = useState<{ name?: string | null }>({});
  const [fault, setFault] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const again = () => setTries((count) => count + 1);
  useEffect(() => {
    setFault(null);
    setOpened({ name });
    if (isOpen(name)) return;
    keepDraft();
    if (runStore.getState().workflow !== name) forgetRun();
    if (name === null) {
      if (openNew(null).hasLeft) notify("The new workflow you had not saved is back", { action: { title: "Throw away", run: undoEdit } });
      return;
    }
    closeDocument();
    let isLeft = false;
    loadWorkflow(name)
      .then((stored) => {
        if (isLeft) return;
        openStored(stored);
        if (then) {
          window.history.replaceState(null, "", window.location.hash.replace(/\?run$/, ""));
          then();
        }
      })
      .catch((error: Error) => isLeft || setFault(error));
    return () => {
      isLeft = true;
    };
    // `then` belongs to the first opening only.
  }, [name, tries]);
  useEffect(() => {
    if (!(fault instanceof ApiError && fault.isUnreachable)) return;
    return connectionStore.subscribe(({ link }) => link === "up" && again());
  }, [fault]);
  // A workflow saved under another name is open before its address says so.
  return { isThere: opened.name === name || isOpen(name), fault, again };
}

/** Opens what is stored, with the edits of it that were not saved. */
function openStored({ workflow, name: storedAs, revision }: Stored): void {
  const draft = readDraft(storedAs);
  openDocument({ workflow, storedAs, revision: draft?.revision ?? revision, draft: draft?.workflow ?? null });
  if (!draft) return;
  const throwAway = () => {
    openDocument({ workflow, storedAs, revision });
    dropDraft(storedAs);
  };
  notify("Your unsaved edits are back", { action: { title: "Throw away", run: throwAway } });
}
