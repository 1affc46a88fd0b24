/** Where added and pasted nodes go so that they do not cover others. */

import type { Snippet } from "../workflow/edits";
import type { Position, Workflow } from "../workflow/workflow";
import { NODE_SIZE } from "./geometry";

const PASTE_OFFSET = 40;
const GAP_Y = 26;

/** The first position at or below the wanted one that no other node covers. */
export function freePosition(
  workflow: Workflow,
  preferred: Position,
  parentId: string | undefined,
): Position {
  const siblings = workflow.nodes.filter((node) => node.parentId === parentId && node.type !== "group");
  const { x } = preferred;
  let { y } = preferred;
  const isTaken = () =>
    siblings.some(
      ({ position }) =>
        position && Math.abs(position.x - x) < NODE_SIZE.width && Math.abs(position.y - y) < NODE_SIZE.height,
    );
  while (isTaken()) y += NODE_SIZE.height + GAP_Y;
  return { x, y };
}

/** The first offset down and to the right at which no pasted node covers another exactly. */
export function pasteOffset(workflow: Workflow, piece: Snippet): Position {
  const taken = new Set(workflow.nodes.map(({ position }) => positionKey(position ?? { x: 0, y: 0 })));
  for (let offset = PASTE_OFFSET; ; offset += PASTE_OFFSET) {
    const isFree = piece.nodes.every(
      ({ position, parentId }) =>
        parentId ||
        !taken.has(positionKey({ x: (position?.x ?? 0) + offset, y: (position?.y ?? 0) + offset })),
    );
    if (isFree) return { x: offset, y: offset };
  }
}

/** How far to move nodes so that their upper left corner is at a position. */
export function offsetTo({ nodes }: Snippet, at: Position): Position {
  const topLevel = nodes.filter(({ parentId }) => !parentId);
  const left = Math.min(...topLevel.map(({ position }) => position?.x ?? 0));
  const top = Math.min(...topLevel.map(({ position }) => position?.y ?? 0));
  return { x: Math.round(at.x - left), y: Math.round(at.y - top) };
}

function positionKey({ x, y }: Position): string {
  return `${x} ${y}`;
}
