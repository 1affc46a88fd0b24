/** The canvas: draws the open workflow, and turns gestures into edits, one step of history each. */

import type { Connection, Edge, EdgeChange, Node, NodeChange } from "@xyflow/react";
import { applyEdgeChanges, applyNodeChanges, Background, ConnectionMode, MiniMap, Panel, ReactFlow, ReactFlowProvider, SelectionMode, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import type { DragEvent } from "react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { addEntry } from "../../model/adding";
import type { Specs } from "../../model/catalog";
import { documentStore, edit, select } from "../../model/documentStore";
import { DRAGGED_ENTRY } from "../../model/dragging";
import { canConnect, connect, moveNodes, remove, reparent } from "../../model/edits";
import { mapper } from "../../model/mapping";
import { canvasActions } from "../../model/viewStore";
import type { Position, Workflow } from "../../model/workflow";
import { INPUT, OUTPUT } from "../../model/workflow";
import { IconButton } from "../../ui/Button";
import { GroupNode, NoteNode } from "./FrameNodes";
import { StepNode } from "./StepNode";
import { useCanvasActions } from "./useCanvasActions";
import { Wire } from "./Wire";
import "./canvas.css";

const NODES = { step: StepNode, group: GroupNode, note: NoteNode };
const EDGES = { wire: Wire };
const MOST_IN_MAP = 500;

interface Props {
  workflow: Workflow;
  specs: Specs;
  isReadOnly?: boolean;
}

export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  );
}

function Drawing({ workflow, specs, isReadOnly = false }: Props) {
  const { nodes, edges, onNodesChange, onEdgesChange } = useDrawn(workflow, specs);
  const flow = useReactFlow();
  const { onMoveEnd } = useCanvasActions();
  const onConnect = useCallback((made: Connection) => edit((now) => connected(now, made)), []);
  const onReconnect = useCallback((old: Edge, made: Connection) => edit((now) => connected(remove(now, new Set([old.id])), made)), []);
  const mayConnect = useCallback(
    (made: Edge | Connection) => canConnect(workflow, made.source, made.target, made.sourceHandle ?? OUTPUT, made.targetHandle ?? INPUT),
    [workflow],
  );
  const onDrop = (event: DragEvent) => {
    const entry = specs.get(event.dataTransfer.getData(DRAGGED_ENTRY));
    if (!entry || isReadOnly) return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    addEntry(entry, specs, { x: at.x - 100, y: at.y - 28 });
  };
  const onDragStop = (_: unknown, __: Node, moved: Node[]) => edit((now) => settled(now, moved, flow.getIntersectingNodes));
  return (
    <ReactFlow
      className="canvas"
      nodes={nodes}
      edges={edges}
      nodeTypes={NODES}
      edgeTypes={EDGES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={onConnect}
      onMoveEnd={onMoveEnd}
      onReconnect={onReconnect}
      isValidConnection={mayConnect}
      onNodeDragStop={onDragStop}
      onSelectionDragStop={(_, moved) => edit((now) => settled(now, moved))}
      onDrop={onDrop}
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED_ENTRY) && event.preventDefault()}
      nodesDraggable={!isReadOnly}
      nodesConnectable={!isReadOnly}
      edgesReconnectable={!isReadOnly}
      connectionMode={ConnectionMode.Strict}
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
      minZoom={0.1}
      maxZoom={2}
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.2 }}
      aria-label="Workflow"
      aria-describedby="canvas-help"
    >
      <p id="canvas-help" className="visually-hidden">
        Arrows walk from node to node, Enter sets what one does, A adds one, C connects it, question mark lists all keys.
      </p>
      <Background gap={20} size={1.4} />
      {nodes.length > 0 && nodes.length <= MOST_IN_MAP && <MiniMap style={{ width: 150, height: 96 }} pannable zoomable ariaLabel="Overview" nodeColor="var(--line-strong)" maskColor="color-mix(in srgb, var(--canvas) 70%, transparent)" />}
      <Panel position="bottom-left" className="canvas__tools">
        <IconButton label="Zoom in" icon="plus" onClick={() => void flow.zoomIn()} />
        <IconButton label="Show all" icon="fit" keys="1" onClick={() => canvasActions()?.fit()} />
      </Panel>
    </ReactFlow>
  );
}

/** The drawn nodes and edges: those of the workflow, with what the canvas itself keeps of them. */
function useDrawn(workflow: Workflow, specs: Specs) {
  const map = useMemo(mapper, []);
  const selection = useStore(documentStore, (state) => state.selection);
  const [nodes, setNodes] = useState<Node[]>(() => merged([], map.nodes(workflow, specs), selection));
  const [edges, setEdges] = useState<Edge[]>(() => merged([], map.edges(workflow), selection));
  useEffect(() => {
    setNodes((before) => merged(before, map.nodes(workflow, specs), selection));
    setEdges((before) => merged(before, map.edges(workflow), selection));
  }, [map, workflow, specs, selection]);
  const onNodesChange = useCallback((changes: NodeChange[]) => {
    setNodes((before) => applyNodeChanges(changes.filter((one) => one.type !== "select" && one.type !== "remove"), before));
    takeSelection(changes);
  }, []);
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    setEdges((before) => applyEdgeChanges(changes.filter((one) => one.type !== "select" && one.type !== "remove"), before));
    takeSelection(changes);
  }, []);
  return { nodes, edges, onNodesChange, onEdgesChange };
}

/** What is on the canvas already keeps its measures; what is as before stays the same object. */
function merged<Item extends Node | Edge>(before: Item[], wanted: object[], selection: ReadonlySet<string>): Item[] {
  const known = new Map(before.map((item) => [item.id, item]));
  return (wanted as Item[]).map((item) => {
    const old = known.get(item.id);
    const selected = selection.has(item.id);
    if (old && (old as { drawnFrom?: unknown }).drawnFrom === item && (old.selected ?? false) === selected) return old;
    const measured = old && "measured" in old ? { measured: old.measured } : {};
    return { ...item, ...measured, selected, drawnFrom: item } as Item;
  });
}

function takeSelection(changes: (NodeChange | EdgeChange)[]): void {
  const chosen = changes.filter((one) => one.type === "select");
  if (chosen.length === 0) return;
  const selection = new Set(documentStore.getState().selection);
  for (const one of chosen) {
    if (one.selected) selection.add(one.id);
    else selection.delete(one.id);
  }
  select(selection);
}

function connected(workflow: Workflow, { source, target, sourceHandle, targetHandle }: Connection): Workflow {
  return connect(workflow, source, target, sourceHandle ?? OUTPUT, targetHandle ?? INPUT);
}

/** Moved nodes where they were let go, in the group they were dropped on. */
function settled(workflow: Workflow, moved: Node[], over?: (node: Node) => Node[]): Workflow {
  const places = new Map<string, Position>(moved.map(({ id, position }) => [id, position]));
  let next = moveNodes(workflow, places);
  for (const node of over ? moved.filter((one) => one.type !== "group") : []) {
    const frame = over!(node).find((one) => one.type === "group");
    next = reparent(next, node.id, frame?.id ?? null);
  }
  return next;
}
