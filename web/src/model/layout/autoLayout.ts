/** Automatic layout: left to right, long workflows in rows, groups fitted to their contents. */

import dagre from "@dagrejs/dagre";
import type { Position } from "../workflow/workflow";
import type { Box, Link } from "./columnLayout";
import { layoutInColumns, NODE_GAP, RANK_GAP } from "./columnLayout";
import { NODE_SIZE } from "./geometry";

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

export interface PlacedNode {
  id: string;
  position: Position;
  /** For groups: the size that fits the contents. */
  size?: { width: number; height: number };
}

export type LayoutResult = PlacedNode[];

const ROW_GAP = 90;
const FRAME = { side: 40, head: 74, below: 40 };
/** A workflow with more ranks is broken into rows, because a single long line is hard to read. */
const MAX_RANKS = 30;
const WIDE_RATIO = 3;
const MAX_FOR_DAGRE = 200;

/** New positions for all nodes; group members are laid out within their group, which is resized. */
export function computeLayout({ nodes, edges }: LayoutRequest): LayoutResult {
  const frames = new Map<string, LayoutNode[]>();
  for (const node of nodes)
    if (node.parentId) frames.set(node.parentId, [...(frames.get(node.parentId) ?? []), node]);
  const answer: LayoutResult = [];
  const sizes = new Map<string, { width: number; height: number }>();
  for (const [frame, members] of frames) {
    const placed = wrapRows(
      layoutBoxes(members.map(boxOf), edges),
      new Map(members.map((node) => [node.id, boxOf(node)])),
    );
    for (const { id, position } of placed)
      answer.push({ id, position: { x: position.x + FRAME.side, y: position.y + FRAME.head } });
    const { width, height } = extent(placed, new Map(members.map((node) => [node.id, boxOf(node)])));
    sizes.set(frame, { width: width + 2 * FRAME.side, height: height + FRAME.head + FRAME.below });
  }
  const topLevel = nodes
    .filter((node) => !node.parentId)
    .map((node) => ({ ...boxOf(node), ...sizes.get(node.id) }));
  const groupOf = new Map(nodes.map((node) => [node.id, node.parentId ?? node.id]));
  const links = edges.map(({ from, to }) => ({ from: groupOf.get(from) ?? from, to: groupOf.get(to) ?? to }));
  for (const placed of wrapRows(
    layoutBoxes(topLevel, links),
    new Map(topLevel.map((box) => [box.id, box])),
  )) {
    const size = sizes.get(placed.id);
    answer.push(size ? { ...placed, size } : placed);
  }
  return answer;
}

function boxOf({ id, width = NODE_SIZE.width, height = NODE_SIZE.height }: LayoutNode): Box {
  return { id, width, height };
}

/** Breaks a long line of ranks into rows, which are read like text. */
function wrapRows(places: PlacedNode[], boxes: ReadonlyMap<string, Box>): PlacedNode[] {
  const middle = ({ id, position }: PlacedNode) => Math.round(position.x + boxes.get(id)!.width / 2);
  const columns = [...new Set(places.map(middle))].sort((a, b) => a - b);
  const all = extent(places, boxes);
  if (columns.length <= MAX_RANKS || all.width < WIDE_RATIO * all.height) return places;
  const step = all.width / columns.length;
  const ranks = Math.max(
    MAX_RANKS / 2,
    Math.min(MAX_RANKS, Math.round(Math.sqrt((columns.length * (all.height + ROW_GAP) * 1.6) / step))),
  );
  const rowOf = new Map(columns.map((x, at) => [x, Math.floor(at / ranks)]));
  const rows: PlacedNode[][] = [];
  for (const placed of places) (rows[rowOf.get(middle(placed))!] ??= []).push(placed);
  let below = 0;
  return rows.flatMap((row) => {
    const [left, top] = [
      minimum(row.map(({ position }) => position.x)),
      minimum(row.map(({ position }) => position.y)),
    ];
    const moved = row.map((placed) => ({
      ...placed,
      position: { x: placed.position.x - left, y: placed.position.y - top + below },
    }));
    below = extent(moved, boxes).height + ROW_GAP;
    return moved;
  });
}

function minimum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function extent(
  places: readonly PlacedNode[],
  boxes: ReadonlyMap<string, Box>,
): { width: number; height: number } {
  let [width, height] = [0, 0];
  for (const { id, position } of places) {
    width = Math.max(width, position.x + boxes.get(id)!.width);
    height = Math.max(height, position.y + boxes.get(id)!.height);
  }
  return { width, height };
}

function layoutBoxes(boxes: readonly Box[], links: readonly Link[]): PlacedNode[] {
  const ids = new Set(boxes.map(({ id }) => id));
  const knownLinks = links.filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to));
  // Dagre needs seconds for a thousand nodes, and its recursion exceeds the stack in a long chain.
  return boxes.length > MAX_FOR_DAGRE
    ? layoutInColumns(boxes, knownLinks)
    : layoutWithDagre(boxes, knownLinks);
}

function layoutWithDagre(boxes: readonly Box[], links: readonly Link[]): PlacedNode[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", ranksep: RANK_GAP, nodesep: NODE_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of links) graph.setEdge(from, to);
  dagre.layout(graph);
  return boxes.map(({ id, width, height }) => {
    const { x, y } = graph.node(id);
    return { id, position: { x: Math.round((x ?? 0) - width / 2), y: Math.round((y ?? 0) - height / 2) } };
  });
}
