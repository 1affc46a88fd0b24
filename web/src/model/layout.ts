/** Where nodes go when the canvas is tidied: left to right, groups kept together. */

import dagre from "@dagrejs/dagre";
import { NODE_SIZE } from "./edits";
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
export function layOut({ nodes, edges }: LayoutRequest): LayoutAnswer {
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
