/** The editor: opens a workflow and arranges palette, canvas, side panel and run panel. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ConflictDialog } from "../features/files/ConflictDialog";
import { documentStore, openDocument, undoEdit } from "../model/documentStore";
import { keepDraft, readDraft, watchDrafts } from "../model/drafts";
import { notify, notifyError } from "../model/noticeStore";
import { forgetRun, runStore } from "../model/runStore";
import { newWorkflow } from "../model/workflow";
import { useChecking } from "../queries/checking";
import { loadWorkflow } from "../queries/workflows";
import { Empty } from "../ui/Empty";
import { Editor } from "./Editor";
import { runOrAsk, useEditorCommands } from "./useEditorCommands";

/** `runs` starts it at once, as the sample's button promises. */
export function EditorPage({ name, runs = false }: { name: string | null; runs?: boolean }) {
  const { asked, ask } = useEditorCommands();
  useOpened(name, runs ? () => runOrAsk(() => ask("inputs")) : null);
  useEffect(watchDrafts, []);
  const workflow = useStore(documentStore, (state) => (state.isReadOnly ? null : (state.history?.present ?? null)));
  useChecking(workflow);
  if (!workflow) return <Empty title="Opening…" />;
  return (
    <>
      <ConflictDialog />
      <Editor workflow={workflow} asked={asked} ask={ask} />
    </>
  );
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpened(name: string | null, then: (() => void) | null): void {
  useEffect(() => {
    const state = documentStore.getState();
    const isOpen = state.history !== null && !state.isReadOnly && state.storedAs === name;
    if (!isOpen) keepDraft();
    if (!isOpen && runStore.getState().workflow !== name) forgetRun();
    if (isOpen) return;
    if (name === null) {
      openDocument({ workflow: newWorkflow("untitled"), draft: readDraft(null)?.workflow ?? null });
      return;
    }
    loadWorkflow(name)
      .then((stored) => {
        const draft = readDraft(stored.name);
        const revision = draft?.revision ?? stored.revision;
        openDocument({ workflow: stored.workflow, storedAs: stored.name, revision, draft: draft?.workflow ?? null });
        if (draft) notify("Your unsaved edits are back", { action: { title: "Throw away", run: undoEdit } });
        if (then) {
          window.history.replaceState(null, "", window.location.hash.replace(/\?run$/, ""));
          then();
        }
      })
      .catch((error: unknown) => notifyError(error, `Cannot open ${name}`));
    // `then` belongs to the first opening only.
  }, [name]);
}
