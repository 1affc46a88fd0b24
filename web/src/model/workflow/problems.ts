/** Which node a validation problem belongs to. */

import type { Workflow } from "./workflow";

/** The node that a JSON pointer leads into; for a connection, the node it starts at. */
export function nodeAtPointer(workflow: Workflow, pointer: string): string | null {
  const node = /^\/nodes\/(\d+)(\/|$)/.exec(pointer);
  if (node) return workflow.nodes[Number(node[1])]?.id ?? null;
  const edge = /^\/connections\/(\d+)(\/|$)/.exec(pointer);
  return edge ? (workflow.connections[Number(edge[1])]?.from ?? null) : null;
}
