/** The editor of one workflow, editable or read-only: toolbar, palette, canvas, side panel and run panel. */

import { Suspense, lazy, useEffect, useRef } from "react";
import { useStore } from "zustand";
import { Canvas } from "../features/canvas/Canvas";
import { StepDecision } from "../features/inbox/StepDecision";
import { Inspector } from "../features/inspector/Inspector";
import { ProblemList } from "../features/inspector/ProblemList";
import { SelectionInfo } from "../features/inspector/SelectionInfo";
import { WorkflowInfo } from "../features/inspector/WorkflowInfo";
import { JsonView } from "../features/json/JsonView";
import { CommandPalette } from "../features/palette/CommandPalette";
import { Palette } from "../features/palette/Palette";
import { PublishDialog } from "../features/publish/PublishDialog";
import { InputsDialog } from "../features/runs/InputsDialog";
import { RunPanel } from "../features/runs/RunPanel";
import { ServersDialog } from "../features/servers/ServersDialog";
import { ExportDialog } from "../features/workflows/ExportDialog";
import { ExtractDialog } from "../features/workflows/ExtractDialog";
import { isRunOver } from "../model/run/runState";
import { canOpenNode } from "../model/workflow/families";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";
import { useEntries, useSpecs } from "../queries/catalog";
import { useDocument, useEditor, useRunState } from "../state/editorContext";
import { closeNodeSearch, nodeSearchStore } from "../state/nodeSearch";
import { isOneColumn, setPanels, panelStore } from "../state/panels";
import { Button } from "../ui/Button";
import { ComparisonCanvas, useComparison } from "./ComparisonCanvas";
import { EditorToolbar } from "./EditorToolbar";
import { ShortcutsDialog } from "./ShortcutsDialog";
import type { EditorDialog } from "./useEditorCommands";
import { applyFixes, selectedNodes, startAndShowRun } from "./useEditorCommands";

const BuilderPanel = lazy(() => import("../features/chat/BuilderPanel"));
const NodeView = lazy(() => import("../features/node/NodeView"));

export interface EditorViewProps {
  openDialog: EditorDialog;
  setOpenDialog(dialog: EditorDialog): void;
}

export function EditorView({ openDialog, setOpenDialog }: EditorViewProps) {
  const editor = useEditor();
  const workflow = useDocument((state) => state.history.present);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  const { hasPalette, overlay, side } = useStore(panelStore);
  const runId = useRunState((state) => state.run?.id ?? null);
  const hasRun = runId !== null;
  const isOver = useRunState((state) => state.run !== null && isRunOver(state.run));
  const runPanel = useRef<HTMLElement>(null);
  // In a single column a run that starts, or its result, would be out of view.
  useEffect(() => {
    if (isOneColumn()) void runPanel.current?.scrollIntoView({ block: "nearest" });
  }, [runId, isOver]);
  const search = useStore(nodeSearchStore, (state) => state.search);
  const { entries, isLoading } = useEntries();
  const specs = useSpecs();
  const proposed = useStore(editor.builder.store, (state) => state.proposal);
  const proposal = useComparison(side === "builder" && !isReadOnly ? (proposed?.comparison ?? null) : null);
  return (
    <div className={isReadOnly ? "editor editor--run" : "editor"}>
      <h1 className="visually-hidden">
        {isReadOnly ? "Run of" : "Workflow"} {workflow.name || "untitled"}
      </h1>
      <EditorToolbar workflow={workflow} />
      {hasPalette && !isReadOnly && (
        <aside className="editor__palette" aria-label="Palette" data-panel data-stop="palette">
          <Palette entries={entries} specs={specs} isLoading={isLoading} />
        </aside>
      )}
      <div className="editor__canvas" data-stop="canvas">
        {proposal ? (
          <ComparisonCanvas editor={proposal} />
        ) : (
          <Canvas key={workflow.id} workflow={workflow} specs={specs} isReadOnly={isReadOnly} />
        )}
      </div>
      <SidePanel workflow={workflow} isReadOnly={isReadOnly} />
      {hasRun && (
        <section ref={runPanel} className="editor__run" aria-label="Run" data-panel data-stop="run">
          <RunPanel workflow={workflow} decision={(run, step) => <StepDecision run={run} step={step} />} />
        </section>
      )}
      {(overlay === "add" ||
        overlay === "commands" ||
        overlay === "connect" ||
        overlay === "disconnect" ||
        overlay === "find") && (
        <CommandPalette
          kind={overlay}
          entries={entries}
          specs={specs}
          isLoading={isLoading}
          search={overlay === "add" ? search : null}
          onClose={closeNodeSearch}
        />
      )}
      {overlay === "node" && <OpenNode workflow={workflow} isReadOnly={isReadOnly} />}
      {overlay === "keys" && <ShortcutsDialog onClose={() => setPanels({ overlay: null })} />}
      {overlay === "servers" && !isReadOnly && <ServersDialog onClose={() => setPanels({ overlay: null })} />}
      {openDialog === "inputs" && (
        <InputsDialog
          workflow={workflow}
          onClose={() => setOpenDialog(null)}
          onRun={(inputs) => (setOpenDialog(null), void startAndShowRun(editor, inputs))}
        />
      )}
      {openDialog === "publish" && <PublishDialog workflow={workflow} onClose={() => setOpenDialog(null)} />}
      {openDialog === "extract" && (
        <ExtractDialog nodes={selectedNodes(editor)} onClose={() => setOpenDialog(null)} />
      )}
      {openDialog === "export" && <ExportDialog workflow={workflow} onClose={() => setOpenDialog(null)} />}
    </div>
  );
}

/** The selected node in a dialog with its input and output beside its form. */
function OpenNode({ workflow, isReadOnly }: { workflow: Workflow; isReadOnly: boolean }) {
  const id = useStore(panelStore, (state) => state.openNode);
  const node = id ? nodeById(workflow, id) : undefined;
  const close = () => setPanels({ overlay: null, openNode: null });
  // A node that was deleted stays closed when an undo brings it back.
  useEffect(() => (node ? undefined : close()), [node]);
  useEffect(() => close, []);
  if (!node) return null;
  return (
    <Suspense>
      <NodeView
        node={node}
        form={<Inspector key={node.id} node={node} isReadOnly={isReadOnly} />}
        onClose={close}
      />
    </Suspense>
  );
}

function SidePanel({ workflow, isReadOnly }: { workflow: Workflow; isReadOnly: boolean }) {
  const editor = useEditor();
  // A run has no palette that could cover the panel.
  const side = useStore(panelStore, (state) => state.side ?? (isReadOnly ? state.coveredSide : null));
  const isNodeOpen = useStore(panelStore, (state) => state.overlay === "node");
  const selection = useDocument((state) => state.selection);
  const selectedCount = workflow.nodes.filter(({ id }) => selection.has(id)).length;
  const selectedNode = selection.size === 1 ? nodeById(workflow, [...selection][0]!) : undefined;
  if (side === "json") {
    return (
      <aside className="editor__side editor__side--wide" aria-label="JSON" data-panel data-stop="side">
        <JsonView workflow={workflow} isReadOnly={isReadOnly} />
      </aside>
    );
  }
  if (side === "builder" && !isReadOnly) {
    return (
      <aside className="editor__side" aria-label="Build with AI" data-panel data-stop="side">
        <Suspense>
          <BuilderPanel key={editor.id} />
        </Suspense>
      </aside>
    );
  }
  if (side === "problems") {
    return (
      <aside className="editor__side" aria-label="Problems" data-panel data-stop="side">
        <ProblemList workflow={workflow} onFix={() => void applyFixes(editor)} />
      </aside>
    );
  }
  // Always shown: a panel that opened with a selection would move the canvas under the pointer.
  if (side !== "inspector") return null;
  return (
    <aside className="editor__side" aria-label="Inspector" data-panel data-stop="side">
      {selectedNode && isNodeOpen ? null : selectedNode ? (
        <Inspector node={selectedNode} isReadOnly={isReadOnly}>
          {canOpenNode(selectedNode) && (
            <Button icon="expand" onClick={() => setPanels({ overlay: "node", openNode: selectedNode.id })}>
              Open with input and output
            </Button>
          )}
        </Inspector>
      ) : selectedCount > 1 && !isReadOnly ? (
        <SelectionInfo count={selectedCount} />
      ) : (
        <WorkflowInfo workflow={workflow} isReadOnly={isReadOnly} />
      )}
    </aside>
  );
}
