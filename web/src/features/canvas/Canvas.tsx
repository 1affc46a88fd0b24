/** The canvas: shows the open workflow and turns gestures into edits, each one step of the history. */

import type { Connection, Edge, Node } from "@xyflow/react";
import {
  Background,
  ConnectionMode,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
} from "@xyflow/react";
import type { DragEvent, MouseEvent } from "react";
import { useCallback, useEffect, useState } from "react";
import { initialView } from "../../model/layout/initialView";
import type { Specs } from "../../model/workflow/catalog";
import { ENTRY_DRAG_TYPE } from "../../model/workflow/catalog";
import { canConnect, connectPorts, removeItems, dropNodes } from "../../model/workflow/edits";
import type { Workflow } from "../../model/workflow/workflow";
import { INPUT_PORT, OUTPUT_PORT, nodeById } from "../../model/workflow/workflow";
import { insertEntry } from "../../queries/insertion";
import { runCommand } from "../../state/commands";
import type { Editor } from "../../state/editor";
import { useEditor } from "../../state/editorContext";
import { showInspector, uncoverSide } from "../../state/panels";
import { openSubworkflow, subworkflowOf } from "../../state/subworkflows";
import { IconButton } from "../../ui/Button";
import { AlignmentGuides } from "./AlignmentGuides";
import { GroupNode, NoteNode } from "./AnnotationNodes";
import { ConnectionEdge } from "./ConnectionEdge";
import { EdgeArrows } from "./EdgeArrows";
import { LowDetail, useDetailLevel } from "./detailLevel";
import { FirstStep } from "./FirstStep";
import { OverviewEdges } from "./OverviewEdges";
import { OverviewMap } from "./OverviewMap";
import { StepNode } from "./StepNode";
import { useAlignment } from "./useAlignment";
import { useCanvasActions } from "./useCanvasActions";
import { useCanvasElements } from "./useCanvasElements";
import { useNodeSearch } from "./useNodeSearch";
import "@xyflow/react/dist/style.css";
import "./canvas.css";
import "./changes.css";
import "./edges.css";
import "./step.css";
import "./toolbar.css";

const NODE_TYPES = { step: StepNode, group: GroupNode, note: NoteNode };
const EDGE_TYPES = { wire: ConnectionEdge };
const MAX_NODES_IN_MAP = 500;
const NO_EDGES: Edge[] = [];

interface Props {
  workflow: Workflow;
  specs: Specs;
  isReadOnly?: boolean;
}

export function Canvas(props: Props) {
  const [size, setBox] = useState<{ width: number; height: number } | null>(null);
  const measure = (frame: HTMLElement | null) => {
    if (frame) setBox({ width: frame.clientWidth, height: frame.clientHeight });
  };
  // The size is measured first, because the initial view depends on it and only visible nodes are rendered.
  if (!size) return <div className="canvas" ref={measure} />;
  return (
    <ReactFlowProvider>
      <Drawing {...props} {...size} />
    </ReactFlowProvider>
  );
}

function Drawing({
  workflow,
  specs,
  isReadOnly = false,
  width,
  height,
}: Props & { width: number; height: number }) {
  const editor = useEditor();
  const { nodes, edges, onNodesChange, onEdgesChange, redraw } = useCanvasElements(workflow, specs);
  const [view] = useState(() => initialView(nodes, width, height));
  const { hasNamesOnly, isLowDetail, hasNoTitles } = useDetailLevel(nodes.length);
  const detail = hasNoTitles ? "canvas--farther" : hasNamesOnly ? "canvas--far" : "";
  const flow = useReactFlow();
  // At low detail nodes have no ports, so the canvas forgets their positions.
  useEffect(() => {
    if (isLowDetail) return redraw;
  }, [isLowDetail, redraw]);
  const { onMoveEnd } = useCanvasActions();
  const { guides, alignChanges, endAlignment } = useAlignment(nodes);
  const nodeSearch = useNodeSearch(specs, isReadOnly);
  const onConnect = useCallback(
    (connection: Connection) => editor.document.edit((now) => withConnection(now, connection)),
    [editor],
  );
  const onReconnect = useCallback(
    (old: Edge, connection: Connection) =>
      editor.document.edit((now) => withConnection(removeItems(now, new Set([old.id])), connection)),
    [editor],
  );
  const isValidConnection = useCallback(
    (connection: Edge | Connection) =>
      canConnect(
        workflow,
        connection.source,
        connection.target,
        connection.sourceHandle ?? OUTPUT_PORT,
        connection.targetHandle ?? INPUT_PORT,
      ),
    [workflow],
  );
  const onDrop = (event: DragEvent) => {
    const entry = specs.get(event.dataTransfer.getData(ENTRY_DRAG_TYPE));
    if (!entry || isReadOnly) return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    insertEntry(editor, entry, specs, { kind: "place", at });
  };
  const moveToDropped = (moved: Node[]) => {
    const places = endAlignment(moved);
    editor.document.edit((now) => dropNodes(now, places, editor.canvas?.sizes()));
  };
  return (
    <LowDetail value={isLowDetail}>
      <ReactFlow
        className={`canvas ${detail}`}
        nodes={nodes}
        edges={isLowDetail ? NO_EDGES : edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={(changes) => onNodesChange(alignChanges(changes))}
        onEdgesChange={onEdgesChange}
        onConnect={onConnect}
        {...nodeSearch}
        onMoveEnd={onMoveEnd}
        onReconnect={onReconnect}
        isValidConnection={isValidConnection}
        onNodeClick={(event, { id }) => selectClicked(editor, event, id)}
        onNodeDoubleClick={(_, { id }) => openNode(editor, id)}
        onNodeDragStop={(_, __, moved) => moveToDropped(moved)}
        onSelectionDragStop={(_, moved) => moveToDropped(moved)}
        onDrop={onDrop}
        onDragOver={(event) => event.dataTransfer.types.includes(ENTRY_DRAG_TYPE) && event.preventDefault()}
        nodesDraggable={!isReadOnly}
        nodesConnectable={!isReadOnly}
        edgesReconnectable={!isReadOnly}
        connectionMode={ConnectionMode.Strict}
        // A click on a port is a connection without a drag: it opens the node search.
        connectionDragThreshold={0}
        connectOnClick={false}
        selectionMode={SelectionMode.Partial}
        selectionOnDrag
        panOnDrag={[1, 2]}
        panOnScroll
        zoomOnDoubleClick={false}
        multiSelectionKeyCode={["Shift", "Meta", "Control"]}
        deleteKeyCode={null}
        disableKeyboardA11y
        edgesFocusable={false}
        tabIndex={0}
        onlyRenderVisibleElements
        snapToGrid
        snapGrid={[10, 10]}
        minZoom={0.03}
        maxZoom={2}
        defaultViewport={view}
        aria-label="Workflow"
        aria-describedby="canvas-help"
      >
        <p id="canvas-help" className="visually-hidden">
          Arrow keys move between nodes, Enter opens one, A adds a node, Shift+A inserts one, C connects it,
          question mark lists all keys.
        </p>
        {isLowDetail ? <OverviewEdges edges={edges} /> : <Background gap={24} size={1.4} />}
        {nodes.length <= MAX_NODES_IN_MAP && <OverviewMap />}
        <EdgeArrows />
        {!isReadOnly && <FirstStep workflow={workflow} />}
        <AlignmentGuides guides={guides} />
        <Panel position="bottom-left" className="canvas__tools">
          <IconButton label="Zoom in" icon="plus" onClick={() => void flow.zoomIn()} />
          <IconButton label="Zoom out" icon="minus" onClick={() => void flow.zoomOut()} />
          <IconButton label="Fit to view" icon="fit" keys="1" onClick={() => editor.canvas?.fit()} />
          <IconButton label="Show all" icon="nested" keys="0" onClick={() => editor.canvas?.showAll()} />
        </Panel>
      </ReactFlow>
    </LowDetail>
  );
}

/** A click without a key selects one node, also of several selected ones, and shows its settings. */
function selectClicked({ document, changes }: Editor, event: MouseEvent, id: string): void {
  uncoverSide();
  if (event.shiftKey || event.metaKey || event.ctrlKey) return;
  document.select([id]);
  // Beside a proposal its decision stays.
  if (changes.size === 0) showInspector();
}

/** Opens the workflow that a node runs; any other node is configured. */
function openNode(editor: Editor, id: string): void {
  const name = subworkflowOf(nodeById(editor.document.workflow, id));
  editor.document.select([id]);
  if (name === null) runCommand("configure");
  else openSubworkflow(editor, name);
}

function withConnection(
  workflow: Workflow,
  { source, target, sourceHandle, targetHandle }: Connection,
): Workflow {
  return connectPorts(workflow, source, target, sourceHandle ?? OUTPUT_PORT, targetHandle ?? INPUT_PORT);
}
