/** Where a new node goes, and how it is connected there. */

import { NODE_SIZE } from "../layout/geometry";
import { freePosition } from "../layout/placement";
import type { CatalogEntry, Specs } from "./catalog";
import { DECISION_TYPES, inputPorts, outputPorts } from "./catalog";
import {
  addNode,
  connectPorts,
  createNode,
  dropNodes,
  moveNodes,
  nextOutputPort,
  removeItems,
  snapToGrid,
} from "./edits";
import type { Connection, Position, Workflow, WorkflowNode } from "./workflow";
import { INPUT_PORT, OUTPUT_PORT, nodeById, nodeRef } from "./workflow";

export type InsertionPoint =
  /** An empty part of the canvas. */
  | { kind: "place"; at: Position }
  /** The end of a connection that was dragged from an output port to an empty part of the canvas. */
  | { kind: "from"; node: string; port: string; at: Position }
  /** The same from an input port. */
  | { kind: "to"; node: string; port: string; at: Position }
  /** A connection, to insert a node into. */
  | { kind: "edge"; edge: string };

const GAP_X = 60;
/** The port of a loop that is taken once, after the last item. */
const LOOP_DONE = "done";
/** From the top of a node to its first port. */
export const PORT_TOP = NODE_SIZE.height / 2;

/** Whether a node of an entry can be connected at a point. */
export function fitsPoint(entry: CatalogEntry, point: InsertionPoint | undefined): boolean {
  if (!point || point.kind === "place") return true;
  const hasInput = entry.type !== "TRIGGER" && !["start", "group", "note"].includes(entry.type);
  const hasOutput = !["end", "group", "note"].includes(entry.type);
  return (point.kind === "to" || hasInput) && (point.kind === "from" || hasOutput);
}

/** Adds a node of an entry at a point and connects it. */
export function insertAt(
  workflow: Workflow,
  entry: CatalogEntry,
  point: InsertionPoint,
  specs: Specs,
): { workflow: Workflow; id: string } {
  if (point.kind === "edge") {
    const edge = workflow.connections.find(({ id }) => id === point.edge);
    if (edge) return insertIntoEdge(workflow, entry, edge, specs);
  }
  const at = point.kind === "edge" ? { x: 0, y: 0 } : cornerAt(point);
  const node = createNode(workflow, entry, at);
  // A node that is dropped on a group becomes part of it.
  const added = dropNodes(addNode(workflow, node), new Map([[node.id, node.position ?? at]]));
  if (point.kind === "from") {
    const last = fitsPoint(entry, { kind: "edge", edge: "" }) ? edgeToEnd(workflow, point) : undefined;
    const free = last ? removeItems(added, new Set([last.id])) : added;
    const connected = connectFrom(shiftCovered(free, nodeById(free, node.id)!), point, node, specs);
    const whole = last
      ? connectTo(connected, { node: last.to, port: last.toPort ?? INPUT_PORT }, node, specs)
      : connectEnd(connected, point.node, node.id, specs);
    return { workflow: moveEndBehind(whole, node.id), id: node.id };
  }
  if (point.kind === "to") return { workflow: connectTo(added, point, node, specs), id: node.id };
  return { workflow: added, id: node.id };
}

/** Adds a node after another one; where that one leads to the end, before the end. */
export function insertAfter(
  workflow: Workflow,
  entry: CatalogEntry,
  source: WorkflowNode,
  specs: Specs,
): { workflow: Workflow; id: string } | null {
  const port = nextOutputPort(workflow, source, specs);
  const end = onlyEnd(workflow, source.parentId);
  const edge = workflow.connections.find(
    ({ from, to, fromPort }) => from === source.id && to === end?.id && (fromPort ?? OUTPUT_PORT) === port,
  );
  const isBetween = edge && fitsPoint(entry, { kind: "edge", edge: edge.id });
  return isBetween ? insertIntoEdge(workflow, entry, edge, specs) : null;
}

/** The connection from a port to the end, if that is its only one: what is added there comes before the end. */
function edgeToEnd(workflow: Workflow, point: { node: string; port: string }): Connection | undefined {
  const edges = workflow.connections.filter(
    ({ from, fromPort }) => from === point.node && (fromPort ?? OUTPUT_PORT) === point.port,
  );
  const end = onlyEnd(workflow, nodeById(workflow, point.node)?.parentId);
  return edges.length === 1 && edges[0]!.to === end?.id ? edges[0] : undefined;
}

/** Leads a new node to the end if nothing else does, or if the other ways of a decision lead there. */
export function connectEnd(workflow: Workflow, source: string, added: string, specs: Specs): Workflow {
  const [before, node] = [nodeById(workflow, source), nodeById(workflow, added)];
  const end = node && onlyEnd(workflow, node.parentId);
  if (!before || !end || !leavesOnce(before, specs)) return workflow;
  const leading = workflow.connections.filter(({ to }) => to === end.id);
  const isAlternative = isDecision(before) && leading.some(({ from }) => from === source);
  return leading.length === 0 || isAlternative
    ? connectTo(workflow, { node: end.id, port: INPUT_PORT }, node, specs)
    : workflow;
}

/** Moves the end that a new node leads to, if it would be above, below or before the node. */
function moveEndBehind(workflow: Workflow, added: string): Workflow {
  const node = nodeById(workflow, added);
  const left = (node?.position?.x ?? 0) + NODE_SIZE.width + GAP_X;
  const ends = workflow.connections
    .filter(({ from }) => from === added)
    .map(({ to }) => nodeById(workflow, to))
    .filter((end) => end?.type === "end" && end.position && end.position.x < left);
  return moveNodes(workflow, new Map(ends.map((end) => [end!.id, { x: left, y: end!.position!.y }])));
}

/** Whether each of its ports is taken at most once, unlike that of a loop. */
function leavesOnce(node: WorkflowNode, specs: Specs): boolean {
  return isDecision(node) || outputPorts(node, specs).length === 1;
}

function isDecision(node: WorkflowNode): boolean {
  return DECISION_TYPES.has(node.type) || ["FLOW.IF", "FLOW.SWITCH"].includes(nodeRef(node));
}

function onlyEnd({ nodes }: Workflow, parentId: string | undefined): WorkflowNode | undefined {
  const ends = nodes.filter(({ type }) => type === "end");
  return ends.length === 1 && ends[0]!.parentId === parentId ? ends[0] : undefined;
}

/** The upper left corner of a node whose port is at the end of the dragged connection. */
function cornerAt({ kind, at: { x, y } }: Exclude<InsertionPoint, { kind: "edge" }>): Position {
  if (kind === "from") return { x: x + 10, y: y - PORT_TOP };
  if (kind === "to") return { x: x - NODE_SIZE.width - 10, y: y - PORT_TOP };
  return { x: x - NODE_SIZE.width / 2, y: y - PORT_TOP };
}

function connectFrom(
  workflow: Workflow,
  from: { node: string; port: string },
  node: WorkflowNode,
  specs: Specs,
): Workflow {
  const [port] = inputPorts(node, specs);
  return port ? connectPorts(workflow, from.node, node.id, from.port, port) : workflow;
}

function connectTo(
  workflow: Workflow,
  to: { node: string; port: string },
  node: WorkflowNode,
  specs: Specs,
): Workflow {
  const ports = outputPorts(node, specs);
  // What follows a loop is not a part of it.
  const port = ports.includes(LOOP_DONE) ? LOOP_DONE : ports[0];
  return port ? connectPorts(workflow, node.id, to.node, port, to.port) : workflow;
}

/** Replaces a connection by two with the new node between; what follows moves to the right if it must. */
function insertIntoEdge(
  workflow: Workflow,
  entry: CatalogEntry,
  edge: Connection,
  specs: Specs,
): { workflow: Workflow; id: string } {
  const [source, target] = [nodeById(workflow, edge.from)!, nodeById(workflow, edge.to)!];
  const parentId = source.parentId === target.parentId ? source.parentId : undefined;
  const [from, to] = [source.position ?? { x: 0, y: 0 }, target.position ?? { x: 0, y: 0 }];
  const left = from.x + NODE_SIZE.width + GAP_X;
  const missing = to.x > from.x ? left + NODE_SIZE.width + GAP_X - to.x : 0;
  const roomy = missing > 0 ? shiftFollowing(workflow, target.id, missing) : workflow;
  const middle = (from.x + NODE_SIZE.width + to.x - NODE_SIZE.width) / 2;
  const preferred = { x: missing > 0 ? left : middle, y: (from.y + to.y) / 2 };
  const node = createNode(workflow, entry, freePosition(roomy, snapToGrid(preferred), parentId));
  const added = addNode(
    removeItems(roomy, new Set([edge.id])),
    parentId && node.type !== "group" ? { ...node, parentId } : node,
  );
  const first = { node: edge.from, port: edge.fromPort ?? OUTPUT_PORT };
  const last = { node: edge.to, port: edge.toPort ?? INPUT_PORT };
  return {
    workflow: connectTo(connectFrom(added, first, node, specs), last, node, specs),
    id: node.id,
  };
}

/** Moves what a new node covers, and everything after it, to its right. */
function shiftCovered(workflow: Workflow, added: WorkflowNode): Workflow {
  const { x, y } = added.position ?? { x: 0, y: 0 };
  const covered = workflow.nodes.filter(
    ({ id, type, parentId, position }) =>
      id !== added.id &&
      type !== "group" &&
      parentId === added.parentId &&
      position &&
      Math.abs(position.y - y) < NODE_SIZE.height &&
      position.x > x - NODE_SIZE.width / 2 &&
      position.x < x + NODE_SIZE.width + GAP_X / 2,
  );
  return covered.reduce((now, { id, position }) => {
    const by = x + NODE_SIZE.width + GAP_X - position!.x;
    // Another one may have moved it along.
    return nodeById(now, id)?.position?.x === position!.x ? shiftFollowing(now, id, by) : now;
  }, workflow);
}

/** Moves a node and everything after it that is to its right. */
function shiftFollowing(workflow: Workflow, first: string, by: number): Workflow {
  const next = new Map<string, string[]>();
  for (const { from, to } of workflow.connections) next.set(from, [...(next.get(from) ?? []), to]);
  const edge = nodeById(workflow, first)?.position?.x ?? 0;
  const [following, queue] = [new Set([first]), [first]];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const to of next.get(id) ?? []) {
      if (following.has(to)) continue;
      following.add(to);
      queue.push(to);
    }
  }
  const moved = workflow.nodes
    .filter(({ id, position }) => following.has(id) && position && position.x >= edge)
    .map(({ id, position }) => [id, { x: position!.x + by, y: position!.y }] as const);
  return moveNodes(workflow, new Map(moved));
}
