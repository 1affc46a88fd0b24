/** Edits of a workflow, each a function to a new workflow; unchanged parts stay the same object. */

import type { NodeSizes } from "../layout/geometry";
import { NODE_SIZE } from "../layout/geometry";
import type { CatalogEntry, Specs } from "./catalog";
import { entryTitle, initialData, inputPorts, outputPorts, nodeTypeOf } from "./catalog";
import { removePins } from "./studioData";
import type { Connection, JsonObject, Position, Workflow, WorkflowNode } from "./workflow";
import { nodeById, OUTPUT_PORT, INPUT_PORT, slug } from "./workflow";

export const GRID_SIZE = 10;
const PADDING = 40;
const HEADER = 34;
export const GROUP_SIZE = { width: 360, height: 220 };

export interface Snippet {
  nodes: WorkflowNode[];
  connections: Connection[];
}

/** An unused id: `add`, then `add-2`. */
export function uniqueId(taken: ReadonlySet<string>, base: string): string {
  const stem = slug(base).slice(0, 40);
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`;
}

export function allIds(workflow: Workflow): Set<string> {
  return new Set([...workflow.nodes, ...workflow.connections].map(({ id }) => id));
}

/** A new node for an entry, with a unique name. */
export function createNode(workflow: Workflow, entry: CatalogEntry, position: Position): WorkflowNode {
  // Other programs require names of letters, digits and hyphens for tool nodes.
  const title = entry.server ? slug(entryTitle(entry)) : entryTitle(entry);
  const id = uniqueId(allIds(workflow), title);
  const node: WorkflowNode = {
    id,
    type: nodeTypeOf(entry),
    name: uniqueNameIn(workflow, title),
    position: snapToGrid(position),
    data: TRIGGER_DATA[entry.ref]?.(workflow) ?? initialData(entry),
  };
  return entry.type === "group" ? { ...node, style: GROUP_SIZE } : node;
}

/** Triggers that work at once. */
const TRIGGER_DATA: Readonly<Record<string, (workflow: Workflow) => JsonObject>> = {
  "TRIGGER.WEBHOOK": webhookData,
  "TRIGGER.CRON": scheduleData,
};

/** Weekdays at nine, where the user is. */
function scheduleData(): JsonObject {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { subtype: "CRON", configurations: { cron_expression: "0 9 * * 1-5", timezone } };
}

/** An address that works at once; no two workflows can have the same. */
function webhookData(workflow: Workflow): JsonObject {
  const path = `/${slug(workflow.name)}-${crypto.randomUUID().slice(0, 6)}`;
  return { subtype: "WEBHOOK", configurations: { webhook_path: path } };
}

/** The start of a new workflow that nothing is connected to; a trigger takes its place. */
export function unusedStart(workflow: Workflow): WorkflowNode | undefined {
  const [start, ...others] = workflow.nodes.filter(({ type }) => type === "start");
  if (!start || others.length > 0 || Object.keys(start.data).length > 0) return undefined;
  const isUsed = workflow.connections.some(({ from }) => from === start.id);
  return isUsed || workflow.inputSchema ? undefined : start;
}

function uniqueNameIn(workflow: Workflow, title: string): string {
  return uniqueName(new Set(workflow.nodes.map(({ name }) => name)), title);
}

function uniqueName(taken: ReadonlySet<string>, title: string): string {
  if (!taken.has(title)) return title;
  for (let number = 2; ; number += 1) if (!taken.has(`${title} ${number}`)) return `${title} ${number}`;
}

export function addNode(workflow: Workflow, node: WorkflowNode): Workflow {
  // A group is drawn below its members, so it comes first.
  const nodes = node.type === "group" ? [node, ...workflow.nodes] : [...workflow.nodes, node];
  return { ...workflow, nodes };
}

export function snapToGrid({ x, y }: Position): Position {
  return { x: Math.round(x / GRID_SIZE) * GRID_SIZE, y: Math.round(y / GRID_SIZE) * GRID_SIZE };
}

export function moveNodes(workflow: Workflow, moved: ReadonlyMap<string, Position>): Workflow {
  let changed = false;
  const nodes = workflow.nodes.map((node) => {
    const to = moved.get(node.id);
    if (!to || (node.position && to.x === node.position.x && to.y === node.position.y)) return node;
    changed = true;
    return { ...node, position: { x: Math.round(to.x), y: Math.round(to.y) } };
  });
  return changed ? { ...workflow, nodes } : workflow;
}

export function changeNode(
  workflow: Workflow,
  id: string,
  change: (node: WorkflowNode) => WorkflowNode,
): Workflow {
  let changed = false;
  const nodes = workflow.nodes.map((node) => {
    if (node.id !== id) return node;
    const replaced = change(node);
    changed ||= replaced !== node;
    return replaced;
  });
  return changed ? { ...workflow, nodes } : workflow;
}

export function setData(workflow: Workflow, id: string, data: JsonObject): Workflow {
  return changeNode(workflow, id, (node) => ({ ...node, data }));
}

export function renameNode(workflow: Workflow, id: string, name: string): Workflow {
  return changeNode(workflow, id, (node) => (node.name === name ? node : { ...node, name }));
}

export function resizeNode(workflow: Workflow, id: string, width: number, height: number): Workflow {
  const [roundedWidth, roundedHeight] = [Math.round(width), Math.round(height)];
  return changeNode(workflow, id, (node) =>
    node.style?.width === roundedWidth && node.style.height === roundedHeight
      ? node
      : { ...node, style: { ...node.style, width: roundedWidth, height: roundedHeight } },
  );
}

/** Whether two ports can be connected: not on the same node, and only once. */
export function canConnect(
  workflow: Workflow,
  from: string,
  to: string,
  fromPort: string,
  toPort: string,
): boolean {
  if (from === to) return false;
  return !workflow.connections.some(
    (connection) =>
      connection.from === from &&
      connection.to === to &&
      (connection.fromPort ?? OUTPUT_PORT) === fromPort &&
      (connection.toPort ?? INPUT_PORT) === toPort,
  );
}

export function connectPorts(
  workflow: Workflow,
  from: string,
  to: string,
  fromPort = OUTPUT_PORT,
  toPort = INPUT_PORT,
): Workflow {
  if (!canConnect(workflow, from, to, fromPort, toPort)) return workflow;
  const id = uniqueId(allIds(workflow), `${from}-${to}`);
  return { ...workflow, connections: [...workflow.connections, { id, from, to, fromPort, toPort }] };
}

/** The first output port without a connection, else the first one. */
export function nextOutputPort(workflow: Workflow, node: WorkflowNode, specs: Specs): string | undefined {
  const ports = outputPorts(node, specs);
  const used = new Set(
    workflow.connections
      .filter(({ from }) => from === node.id)
      .map(({ fromPort }) => fromPort ?? OUTPUT_PORT),
  );
  return ports.find((port) => !used.has(port)) ?? ports[0];
}

export function connectNodes(workflow: Workflow, from: string, to: string, specs: Specs): Workflow {
  const [source, target] = [nodeById(workflow, from), nodeById(workflow, to)];
  if (!source || !target) return workflow;
  const [out, into] = [nextOutputPort(workflow, source, specs), inputPorts(target, specs)[0]];
  return out && into ? connectPorts(workflow, from, to, out, into) : workflow;
}

/** Removes nodes and connections; members of a removed group stay where they are. */
export function removeItems(workflow: Workflow, ids: ReadonlySet<string>): Workflow {
  const removed = new Map(workflow.nodes.filter(({ id }) => ids.has(id)).map((node) => [node.id, node]));
  const connections = workflow.connections.filter(
    ({ id, from, to }) => !ids.has(id) && !removed.has(from) && !removed.has(to),
  );
  if (removed.size === 0 && connections.length === workflow.connections.length) return workflow;
  const nodes = workflow.nodes
    .filter(({ id }) => !removed.has(id))
    .map((node) => {
      const parent = node.parentId ? removed.get(node.parentId) : undefined;
      return parent ? detachFromGroup(node, parent) : node;
    });
  return removePins({ ...workflow, nodes, connections }, new Set(removed.keys()));
}

function detachFromGroup(node: WorkflowNode, parent: WorkflowNode): WorkflowNode {
  const { parentId: _, ...rest } = node;
  const at = parent.position ?? { x: 0, y: 0 };
  const ownPosition = node.position ?? { x: 0, y: 0 };
  const up = parent.parentId ? { parentId: parent.parentId } : {};
  return { ...rest, ...up, position: { x: ownPosition.x + at.x, y: ownPosition.y + at.y } };
}

/** These nodes and the members of the groups among them. */
export function withGroupContents(workflow: Workflow, ids: ReadonlySet<string>): Set<string> {
  const all = new Set(ids);
  for (const node of workflow.nodes) if (node.parentId && all.has(node.parentId)) all.add(node.id);
  return all;
}

/** What is copied: the nodes, the members of copied groups, and the connections between them. */
export function copyNodes(workflow: Workflow, ids: ReadonlySet<string>): Snippet {
  const base = withGroupContents(workflow, ids);
  const nodes = workflow.nodes.filter(({ id }) => base.has(id));
  const connections = workflow.connections.filter(({ from, to }) => base.has(from) && base.has(to));
  return { nodes, connections };
}

/** Adds copies with new ids; returns the workflow and the ids of the copies. */
export function pasteSnippet(
  workflow: Workflow,
  piece: Snippet,
  by: Position,
): { workflow: Workflow; ids: string[] } {
  const taken = allIds(workflow);
  const names = new Set(workflow.nodes.map(({ name }) => name));
  const renamed = new Map(piece.nodes.map(({ id }) => [id, reserve(taken, uniqueId(taken, id))]));
  const nodes = piece.nodes.map(({ parentId, ...rest }) => {
    const parent = parentId ? renamed.get(parentId) : undefined;
    const at = rest.position ?? { x: 0, y: 0 };
    const position = parent ? at : { x: at.x + by.x, y: at.y + by.y };
    return {
      ...rest,
      ...(parent ? { parentId: parent } : {}),
      id: renamed.get(rest.id)!,
      name: reserve(names, uniqueName(names, rest.name ?? rest.id)),
      position,
    };
  });
  const connections = piece.connections.map((connection) => ({
    ...connection,
    id: reserve(taken, uniqueId(taken, connection.id)),
    from: renamed.get(connection.from)!,
    to: renamed.get(connection.to)!,
  }));
  const frames = nodes.filter(({ type }) => type === "group");
  const steps = nodes.filter(({ type }) => type !== "group");
  return {
    workflow: {
      ...workflow,
      nodes: [...frames, ...workflow.nodes, ...steps],
      connections: [...workflow.connections, ...connections],
    },
    ids: [...renamed.values()],
  };
}

function reserve(taken: Set<string>, name: string): string {
  taken.add(name);
  return name;
}

/** Groups nodes that are in no group yet; also returns the id of the group. */
export function groupNodes(
  workflow: Workflow,
  ids: ReadonlySet<string>,
  sizes?: NodeSizes,
): { workflow: Workflow; id: string | null } {
  const members = workflow.nodes.filter(
    (node) => ids.has(node.id) && !node.parentId && node.type !== "group",
  );
  if (members.length === 0) return { workflow, id: null };
  const lefts = members.map(({ position }) => position?.x ?? 0);
  const tops = members.map(({ position }) => position?.y ?? 0);
  const heights = members.map(
    ({ id, position }) => (position?.y ?? 0) + (sizes?.get(id) ?? NODE_SIZE).height,
  );
  const at = { x: Math.min(...lefts) - PADDING, y: Math.min(...tops) - PADDING - HEADER };
  const id = uniqueId(allIds(workflow), "group");
  const frame: WorkflowNode = {
    id,
    type: "group",
    name: uniqueNameIn(workflow, "Group"),
    position: at,
    data: { label: "Group" },
    style: {
      width: Math.max(...lefts) + NODE_SIZE.width + PADDING - at.x,
      height: Math.max(...heights) + PADDING - at.y,
    },
  };
  const nodes = workflow.nodes.map((node) =>
    members.includes(node)
      ? {
          ...node,
          parentId: id,
          position: { x: (node.position?.x ?? 0) - at.x, y: (node.position?.y ?? 0) - at.y },
        }
      : node,
  );
  return { workflow: { ...workflow, nodes: [frame, ...nodes] }, id };
}

export function ungroupNodes(workflow: Workflow, ids: ReadonlySet<string>): Workflow {
  const frames = new Set(
    workflow.nodes.filter((node) => ids.has(node.id) && node.type === "group").map(({ id }) => id),
  );
  return frames.size ? removeItems(workflow, frames) : workflow;
}

/** The group at a position; the last one is on top. */
export function groupAt(workflow: Workflow, { x, y }: Position): string | null {
  const found = workflow.nodes.findLast(({ type, position, style, parentId }) => {
    if (type !== "group" || !position || parentId) return false;
    const [right, bottom] = [
      position.x + (style?.width ?? GROUP_SIZE.width),
      position.y + (style?.height ?? GROUP_SIZE.height),
    ];
    return x >= position.x && x <= right && y >= position.y && y <= bottom;
  });
  return found?.id ?? null;
}

/** Moves nodes, and makes each a member of the group that its center is over, if any. */
export function dropNodes(
  workflow: Workflow,
  places: ReadonlyMap<string, Position>,
  sizes?: NodeSizes,
): Workflow {
  const moved = moveNodes(workflow, places);
  const frames = new Map(
    moved.nodes
      .filter(({ type }) => type === "group")
      .map((node) => [node.id, node.position ?? { x: 0, y: 0 }]),
  );
  return moved.nodes.reduce((now, { id, type, position, parentId }) => {
    // A node that moved with its group stays in it.
    if (!places.has(id) || type === "group" || (parentId && places.has(parentId))) return now;
    const frame = frames.get(parentId ?? "") ?? { x: 0, y: 0 };
    const { width, height } = sizes?.get(id) ?? NODE_SIZE;
    return moveToGroup(
      now,
      id,
      groupAt(now, {
        x: frame.x + (position?.x ?? 0) + width / 2,
        y: frame.y + (position?.y ?? 0) + height / 2,
      }),
    );
  }, moved);
}

/** Moves a node into a group, out of it, or to another group; its absolute position stays the same. */
export function moveToGroup(workflow: Workflow, id: string, parentId: string | null): Workflow {
  const frame = parentId ? nodeById(workflow, parentId) : undefined;
  return changeNode(workflow, id, (node) => {
    if ((node.parentId ?? null) === parentId || node.type === "group") return node;
    const old = node.parentId ? nodeById(workflow, node.parentId) : undefined;
    const free = old ? detachFromGroup(node, { ...old, parentId: undefined }) : node;
    if (!frame?.position) return free;
    const at = free.position ?? { x: 0, y: 0 };
    return {
      ...free,
      parentId: frame.id,
      position: { x: at.x - frame.position.x, y: at.y - frame.position.y },
    };
  });
}
