/** A proposed workflow beside the current one: both in one drawing, with a mark on whatever differs. */

import type { Difference } from "./diff";
import { diffWorkflows } from "./diff";
import type { Connection, Workflow, WorkflowNode } from "./workflow";
import { INPUT_PORT, OUTPUT_PORT } from "./workflow";

export type Mark = "added" | "changed" | "removed";

export interface Review {
  /** The proposed workflow together with everything that it removes. */
  drawing: Workflow;
  /** By the id of a node or connection in the drawing. */
  marks: ReadonlyMap<string, Mark>;
  differences: readonly Difference[];
}

export function reviewOf(current: Workflow, proposed: Workflow): Review {
  const marks = new Map<string, Mark>();
  const nodesBefore = new Map(current.nodes.map((node) => [node.id, node]));
  const nodesAfter = new Set(proposed.nodes.map(({ id }) => id));
  for (const node of proposed.nodes) {
    const before = nodesBefore.get(node.id);
    if (!before) marks.set(node.id, "added");
    else if (contentOf(before) !== contentOf(node)) marks.set(node.id, "changed");
  }
  const removedNodes = current.nodes.filter(({ id }) => !nodesAfter.has(id));
  const before = new Set(current.connections.map(placeOf));
  const after = new Set(proposed.connections.map(placeOf));
  for (const connection of proposed.connections)
    if (!before.has(placeOf(connection))) marks.set(connection.id, "added");
  const removedConnections = current.connections
    .filter((connection) => !after.has(placeOf(connection)))
    .map((connection) => ({ ...connection, id: `removed ${connection.id}` }));
  for (const { id } of [...removedNodes, ...removedConnections]) marks.set(id, "removed");
  return {
    drawing: {
      ...proposed,
      nodes: [...proposed.nodes, ...removedNodes],
      connections: [...proposed.connections, ...removedConnections],
    },
    marks,
    differences: diffWorkflows(withoutPositions(proposed), withoutPositions(current)),
  };
}

/** Everything but where a node is drawn. */
function contentOf({ position: _, style: __, ...content }: WorkflowNode): string {
  return JSON.stringify(content, Object.keys(flattened(content)).sort());
}

/** All keys of a value, to compare without regard to their order. */
function flattened(value: unknown, keys: Record<string, true> = {}): Record<string, true> {
  if (typeof value !== "object" || value === null) return keys;
  for (const [key, part] of Object.entries(value)) {
    keys[key] = true;
    flattened(part, keys);
  }
  return keys;
}

function placeOf({ from, fromPort, to, toPort }: Connection): string {
  return JSON.stringify([from, fromPort ?? OUTPUT_PORT, to, toPort ?? INPUT_PORT]);
}

function withoutPositions(workflow: Workflow): Workflow {
  const nodes = workflow.nodes.map(({ position: _, style: __, ...node }) => node);
  return { ...workflow, nodes };
}
