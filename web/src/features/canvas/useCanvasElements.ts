/** The elements of the canvas: nodes and edges of the workflow, with the state that React Flow adds to them. */

import type { Edge, EdgeChange, Node, NodeChange } from "@xyflow/react";
import { applyEdgeChanges, applyNodeChanges } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { createMapper } from "../../model/layout/canvasMapping";
import type { Specs } from "../../model/workflow/catalog";
import type { Workflow } from "../../model/workflow/workflow";
import type { Editor } from "../../state/editor";
import { useDocument, useEditor } from "../../state/editorContext";

export function useCanvasElements(workflow: Workflow, specs: Specs) {
  const editor = useEditor();
  const map = useMemo(createMapper, []);
  const selection = useDocument((state) => state.selection);
  const [nodes, setNodes] = useState<Node[]>(() => mergeElements([], map.nodes(workflow, specs), selection));
  const [edges, setEdges] = useState<Edge[]>(() => mergeElements([], map.edges(workflow, specs), selection));
  useEffect(() => {
    setNodes((before) => mergeElements(before, map.nodes(workflow, specs), selection));
    setEdges((before) => mergeElements(before, map.edges(workflow, specs), selection));
  }, [map, workflow, specs, selection]);
  const onNodesChange = useCallback(
    (changes: NodeChange[]) => {
      setNodes((before) =>
        applyNodeChanges(
          changes.filter((change) => change.type !== "select" && change.type !== "remove"),
          before,
        ),
      );
      applySelection(editor, changes);
    },
    [editor],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange[]) => {
      setEdges((before) =>
        applyEdgeChanges(
          changes.filter((change) => change.type !== "select" && change.type !== "remove"),
          before,
        ),
      );
      applySelection(editor, changes);
    },
    [editor],
  );
  const redraw = useCallback(() => setNodes((before) => before.map((node) => ({ ...node }))), []);
  return { nodes, edges, onNodesChange, onEdgesChange, redraw };
}

/** Keeps the measurements of elements; elements that did not change, and a list of such, stay the same object. */
function mergeElements<Item extends Node | Edge>(
  before: Item[],
  mapped: object[],
  selection: ReadonlySet<string>,
): Item[] {
  const elementsById = new Map(before.map((item) => [item.id, item]));
  const merged = (mapped as Item[]).map((item) => {
    const old = elementsById.get(item.id);
    const selected = selection.has(item.id);
    if (old && (old as { drawnFrom?: unknown }).drawnFrom === item && (old.selected ?? false) === selected)
      return old;
    // Nodes without a known size keep the measured one.
    const measured = old && "measured" in old && !("measured" in item) ? { measured: old.measured } : {};
    return { ...item, ...measured, selected, drawnFrom: item } as Item;
  });
  const isSame = merged.length === before.length && merged.every((item, at) => item === before[at]);
  return isSame ? before : merged;
}

function applySelection(editor: Editor, changes: (NodeChange | EdgeChange)[]): void {
  const selections = changes.filter((change) => change.type === "select");
  if (selections.length === 0) return;
  const selection = new Set(editor.document.selection);
  for (const change of selections) {
    if (change.selected) selection.add(change.id);
    else selection.delete(change.id);
  }
  editor.document.select(selection);
}
