/** What the canvas draws: the nodes and edges of the workflow, with what the canvas itself keeps of them. */

import type { Edge, EdgeChange, Node, NodeChange } from "@xyflow/react";
import { applyEdgeChanges, applyNodeChanges } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Specs } from "../../model/workflow/catalog";
import { documentStore, select } from "../../state/document";
import { mapper } from "../../model/layout/canvasMapping";
import type { Workflow } from "../../model/workflow/workflow";

export function useDrawn(workflow: Workflow, specs: Specs) {
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
  const drawAgain = useCallback(() => setNodes((before) => before.map((node) => ({ ...node }))), []);
  return { nodes, edges, onNodesChange, onEdgesChange, drawAgain };
}

/** What is on the canvas already keeps its measures; what is as before stays the same object. */
function merged<Item extends Node | Edge>(before: Item[], wanted: object[], selection: ReadonlySet<string>): Item[] {
  const known = new Map(before.map((item) => [item.id, item]));
  return (wanted as Item[]).map((item) => {
    const old = known.get(item.id);
    const selected = selection.has(item.id);
    if (old && (old as { drawnFrom?: unknown }).drawnFrom === item && (old.selected ?? false) === selected) return old;
    // What has no size of its own keeps the one that was measured.
    const measured = old && "measured" in old && !("measured" in item) ? { measured: old.measured } : {};
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
