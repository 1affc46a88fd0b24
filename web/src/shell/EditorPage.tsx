/** The editor: opens a workflow and arranges palette, canvas, side panel and run panel. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { Canvas } from "../features/canvas/Canvas";
import { Inspector } from "../features/inspector/Inspector";
import { JsonView } from "../features/json/JsonView";
import { Palette } from "../features/palette/Palette";
import { documentStore, openDocument } from "../model/documentStore";
import { notifyError } from "../model/noticeStore";
import { viewStore } from "../model/viewStore";
import { newWorkflow, nodeById } from "../model/workflow";
import { useEntries, useSpecs } from "../queries/catalog";
import { useChecking } from "../queries/checking";
import { loadWorkflow } from "../queries/workflows";
import { Empty } from "../ui/Empty";
import { EditorBar } from "./EditorBar";

export function EditorPage({ name }: { name: string | null }) {
  useOpened(name);
  const workflow = useStore(documentStore, (state) => state.history?.present ?? null);
  const isReadOnly = useStore(documentStore, (state) => state.isReadOnly);
  const { hasPalette } = useStore(viewStore);
  const { entries } = useEntries();
  const specs = useSpecs();
  useChecking(workflow);
  if (!workflow) return <Empty title="Opening…" />;
  return (
    <div className="editor">
      <EditorBar workflow={workflow} />
      {hasPalette && !isReadOnly && (
        <aside className="editor__palette" aria-label="Palette">
          <Palette entries={entries} specs={specs} />
        </aside>
      )}
      <div className="editor__canvas">
        <Canvas workflow={workflow} specs={specs} isReadOnly={isReadOnly} />
      </div>
      <Side />
    </div>
  );
}

function Side() {
  const side = useStore(viewStore, (state) => state.side);
  const workflow = useStore(documentStore, (state) => state.history!.present);
  const selection = useStore(documentStore, (state) => state.selection);
  const isReadOnly = useStore(documentStore, (state) => state.isReadOnly);
  const only = selection.size === 1 ? nodeById(workflow, [...selection][0]!) : undefined;
  if (side === "json") {
    return (
      <aside className="editor__side editor__side--wide" aria-label="JSON">
        <JsonView workflow={workflow} isReadOnly={isReadOnly} />
      </aside>
    );
  }
  if (side !== "inspector" || !only) return null;
  return (
    <aside className="editor__side" aria-label="Inspector">
      <Inspector node={only} isReadOnly={isReadOnly} />
    </aside>
  );
}

/** Opens the workflow of the address, unless it is open already: then its edits stay. */
function useOpened(name: string | null): void {
  useEffect(() => {
    const state = documentStore.getState();
    if (name === null) {
      if (state.storedAs !== null || state.history === null || state.isReadOnly) openDocument({ workflow: newWorkflow("Untitled") });
      return;
    }
    if (state.storedAs === name && !state.isReadOnly) return;
    loadWorkflow(name)
      .then((stored) => openDocument({ workflow: stored.workflow, storedAs: stored.name, revision: stored.revision }))
      .catch((error: unknown) => notifyError(error, `Cannot open ${name}`));
  }, [name]);
}
