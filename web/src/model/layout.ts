/** Where nodes go when the canvas is tidied: left to right, groups kept together. */

import dagre from "@dagrejs/dagre";
import { NODE_SIZE } from "./geometry";
import type { Position } from "./workflow";

export interface LayoutNode {
  id: string;
  parentId?: string;
  width?: number;
  height?: number;
}

export interface LayoutRequest {
  nodes: LayoutNode[];
  edges: { from: string; to: string }[];
}

export type LayoutAnswer = { id: string; position: Position }[];

const GAP = { rank: 70, node: 36 };

/** Positions of nodes that stand in no group; a group moves as a whole. */
export function layOut(request: LayoutRequest): LayoutAnswer {
  try {
    return byDagre(request);
  } catch (error) {
    // It goes down a chain by calling itself, and a chain of a thousand nodes is too deep for that.
    if (error instanceof RangeError) return inColumns(request);
    throw error;
  }
}

/** A column for each distance from the beginning; nodes below each other as they come. */
function inColumns({ nodes, edges }: LayoutRequest): LayoutAnswer {
  const outer = new Map(nodes.map((node) => [node.id, node.parentId ?? node.id]));
  const next = new Map<string, string[]>();
  const waitsFor = new Map<string, number>();
  for (const { from, to } of edges) {
    const [source, target] = [outer.get(from), outer.get(to)];
    if (!source || !target || source === target) continue;
    next.set(source, [...(next.get(source) ?? []), target]);
    waitsFor.set(target, (waitsFor.get(target) ?? 0) + 1);
  }
  const free = nodes.filter((node) => !node.parentId);
  const column = new Map(free.map(({ id }) => [id, 0]));
  const ready = free.filter(({ id }) => !waitsFor.get(id)).map(({ id }) => id);
  for (let at = 0; at < ready.length; at += 1) {
    for (const target of next.get(ready[at]!) ?? []) {
      column.set(target, Math.max(column.get(target) ?? 0, column.get(ready[at]!)! + 1));
      const left = waitsFor.get(target)! - 1;
      waitsFor.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  const used = new Map<number, number>();
  return free.map(({ id, height }) => {
    const rank = column.get(id)!;
    const y = used.get(rank) ?? 0;
    used.set(rank, y + (height ?? NODE_SIZE.height) + GAP.node);
    return { id, position: { x: rank * (NODE_SIZE.width + GAP.rank), y } };
  });
}

function byDagre({ nodes, edges }: LayoutRequest): LayoutAnswer {
  const outer = new Map(nodes.map((node) => [node.id, node.parentId ?? node.id]));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", ranksep: GAP.rank, nodesep: GAP.node });
  graph.setDefaultEdgeLabel(() => ({}));
  const free = nodes.filter((node) => !node.parentId);
  for (const node of free) {
    graph.setNode(node.id, { width: node.width ?? NODE_SIZE.width, height: node.height ?? NODE_SIZE.height });
  }
  for (const { from, to } of edges) {
    const [source, target] = [outer.get(from), outer.get(to)];
    if (source && target && source !== target && graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target);
  }
  dagre.layout(graph);
  return free.map(({ id }) => {
    const { x, y, width, height } = graph.node(id);
    return { id, position: { x: Math.round((x ?? 0) - (width ?? 0) / 2), y: Math.round((y ?? 0) - (height ?? 0) / 2) } };
  });
}
