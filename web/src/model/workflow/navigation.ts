/** Navigation with arrow keys: left and right along connections, up and down to the nearest node. */

import type { Position, Workflow, WorkflowNode } from "./workflow";
import { nodeById } from "./workflow";

export type Direction = "left" | "right" | "up" | "down";

export function neighbour(workflow: Workflow, from: string | null, direction: Direction): string | null {
  const origin = from ? nodeById(workflow, from) : undefined;
  if (!origin) return firstNode(workflow)?.id ?? null;
  if (direction === "right")
    return connectedNode(workflow, origin.id, "from", "to") ?? nearest(workflow, origin, direction);
  if (direction === "left")
    return connectedNode(workflow, origin.id, "to", "from") ?? nearest(workflow, origin, direction);
  return nearest(workflow, origin, direction);
}

/** The first node with outgoing but without incoming connections; else the first node. */
function firstNode(workflow: Workflow): WorkflowNode | undefined {
  const [sources, targets] = [
    new Set(workflow.connections.map(({ from }) => from)),
    new Set(workflow.connections.map(({ to }) => to)),
  ];
  return (
    workflow.nodes.find(({ id }) => sources.has(id) && !targets.has(id)) ??
    workflow.nodes.find(({ type }) => type !== "group") ??
    workflow.nodes[0]
  );
}

/** The node to focus after a removal: a predecessor, a successor, or the nearest node. */
export function nodeAfterRemoval(workflow: Workflow, gone: ReadonlySet<string>): string | null {
  const first = workflow.nodes.find(({ id }) => gone.has(id));
  const links = first
    ? workflow.connections.filter(({ from, to }) => from === first.id || to === first.id)
    : workflow.connections.filter(({ id }) => gone.has(id));
  const ends = [...links.map(({ from }) => from), ...links.map(({ to }) => to)];
  const remaining = new Set(workflow.nodes.map(({ id }) => id).filter((id) => !gone.has(id)));
  return ends.find((id) => remaining.has(id)) ?? (first && closest(workflow, first, remaining)) ?? null;
}

function connectedNode(
  workflow: Workflow,
  id: string,
  at: "from" | "to",
  other: "from" | "to",
): string | null {
  return workflow.connections.find((connection) => connection[at] === id)?.[other] ?? null;
}

/** The nearest node in a direction; the perpendicular distance counts double. */
function nearest(workflow: Workflow, origin: WorkflowNode, direction: Direction): string | null {
  const at = absolutePosition(workflow, origin);
  let best: { id: string; distance: number } | null = null;
  for (const node of workflow.nodes) {
    if (node === origin) continue;
    const { x, y } = absolutePosition(workflow, node);
    const [dx, dy] = [x - at.x, y - at.y];
    const [along, across] =
      direction === "left"
        ? [-dx, dy]
        : direction === "right"
          ? [dx, dy]
          : direction === "up"
            ? [-dy, dx]
            : [dy, dx];
    if (along <= 0) continue;
    const distance = along + 2 * Math.abs(across);
    if (!best || distance < best.distance) best = { id: node.id, distance };
  }
  return best?.id ?? null;
}

function closest(workflow: Workflow, origin: WorkflowNode, among: ReadonlySet<string>): string | null {
  const at = absolutePosition(workflow, origin);
  const distance = (node: WorkflowNode) => {
    const { x, y } = absolutePosition(workflow, node);
    return Math.hypot(x - at.x, y - at.y);
  };
  const left = workflow.nodes.filter(({ id }) => among.has(id));
  return left.sort((a, b) => distance(a) - distance(b))[0]?.id ?? null;
}

/** The position on the canvas; a member of a group is positioned relative to the group. */
function absolutePosition(workflow: Workflow, node: WorkflowNode): Position {
  let { x, y } = node.position ?? { x: 0, y: 0 };
  const seen = new Set([node.id]);
  for (
    let parent = parentOf(workflow, node);
    parent && !seen.has(parent.id);
    parent = parentOf(workflow, parent)
  ) {
    seen.add(parent.id);
    x += parent.position?.x ?? 0;
    y += parent.position?.y ?? 0;
  }
  return { x, y };
}

function parentOf(workflow: Workflow, node: WorkflowNode): WorkflowNode | undefined {
  return node.parentId ? nodeById(workflow, node.parentId) : undefined;
}
