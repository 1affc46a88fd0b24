/** Two versions of a workflow in one: what was added, removed and changed, to be drawn on one canvas. */

import { freePosition } from "../layout/placement";
import type { Connection, Workflow, WorkflowNode } from "./workflow";
import { INPUT_PORT, OUTPUT_PORT } from "./workflow";

export type ChangeKind = "added" | "removed" | "changed";

export interface VersionDifference {
  /** The newer version with the nodes and connections that it no longer has. */
  workflow: Workflow;
  /** By the id of a node or connection in `workflow`. */
  changes: ReadonlyMap<string, ChangeKind>;
}

/** The changes that lead from `before` to `after`; where a node is on the canvas is no change. */
export function compareVersions(after: Workflow, before: Workflow): VersionDifference {
  const changes = new Map<string, ChangeKind>();
  const oldNodes = new Map(before.nodes.map((node) => [node.id, node]));
  for (const node of after.nodes) {
    const old = oldNodes.get(node.id);
    if (!old) changes.set(node.id, "added");
    else if (contentOf(old) !== contentOf(node)) changes.set(node.id, "changed");
  }
  const ids = new Set(after.nodes.map(({ id }) => id));
  const removedNodes = placeBeside(
    after,
    before.nodes.filter(({ id }) => !ids.has(id)),
  );
  for (const { id } of removedNodes) changes.set(id, "removed");
  const [newKeys, oldKeys] = [keysOf(after), keysOf(before)];
  for (const connection of after.connections)
    if (!oldKeys.has(keyOf(connection))) changes.set(connection.id, "added");
  const taken = new Set([...after.nodes, ...before.nodes, ...after.connections].map(({ id }) => id));
  const removedConnections = before.connections
    .filter((connection) => !newKeys.has(keyOf(connection)))
    .map((connection) => ({ ...connection, id: freeId(taken, connection.id) }));
  for (const { id } of removedConnections) changes.set(id, "removed");
  const workflow = {
    ...after,
    nodes: [...removedNodes, ...after.nodes],
    connections: [...after.connections, ...removedConnections],
  };
  return { workflow, changes };
}

/** Removed nodes where no other one is: what followed them may have moved to their place. */
function placeBeside(after: Workflow, removed: readonly WorkflowNode[]): WorkflowNode[] {
  const placed: WorkflowNode[] = [];
  for (const node of removed) {
    const taken = { ...after, nodes: [...after.nodes, ...placed] };
    const isStep = node.position && node.type !== "group";
    placed.push(isStep ? { ...node, position: freePosition(taken, node.position!, node.parentId) } : node);
  }
  return placed;
}

/** Without regard to the order of keys. */
function contentOf({ position: _, style: __, parentId: ___, ...content }: WorkflowNode): string {
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

function keysOf({ connections }: Workflow): ReadonlySet<string> {
  return new Set(connections.map(keyOf));
}

function keyOf({
  from,
  to,
  fromPort = OUTPUT_PORT,
  toPort = INPUT_PORT,
  condition = "",
}: Connection): string {
  return JSON.stringify([from, fromPort, to, toPort, condition]);
}

/** An id that no node and no other connection has. */
function freeId(taken: Set<string>, id: string): string {
  let free = id;
  while (taken.has(free)) free = `${free}-removed`;
  taken.add(free);
  return free;
}
