/** Where the new nodes of a proposal go: behind the node that leads to them, and what follows makes room. */

import type { Position, Workflow } from "../workflow/workflow";
import { NODE_SIZE } from "./geometry";
import { freePosition } from "./placement";

const STEP_X = NODE_SIZE.width + 60;

/** The workflow with a position for every node; nodes that have one move only to the right. */
export function placeNewNodes(workflow: Workflow): Workflow {
  let placed = workflow;
  let waiting = workflow.nodes.filter(({ position }) => !position).map(({ id }) => id);
  while (waiting.length > 0) {
    const positions = positionsOf(placed);
    // The first one whose predecessor is placed; if there is none, the first one.
    const next = waiting.find((id) => placedBefore(placed, id, positions)) ?? waiting[0]!;
    placed = placeNode(placed, next, placedBefore(placed, next, positions));
    waiting = waiting.filter((id) => id !== next);
  }
  return placed;
}

type Positions = ReadonlyMap<string, Position>;

function positionsOf({ nodes }: Workflow): Positions {
  return new Map(nodes.flatMap(({ id, position }) => (position ? [[id, position] as const] : [])));
}

function placedBefore({ connections }: Workflow, id: string, positions: Positions): Position | undefined {
  const edge = connections.find(({ from, to }) => to === id && from !== id && positions.has(from));
  return edge && positions.get(edge.from);
}

function placeNode(workflow: Workflow, id: string, before: Position | undefined): Workflow {
  const preferred = before ? { x: before.x + STEP_X, y: before.y } : { x: 0, y: 0 };
  const roomy = makeRoom(workflow, id, preferred.x + STEP_X);
  const at = freePosition(roomy, preferred, roomy.nodes.find((node) => node.id === id)?.parentId);
  return {
    ...roomy,
    nodes: roomy.nodes.map((node) => (node.id === id ? { ...node, position: at } : node)),
  };
}

/** Moves everything behind a node to the right, so that its successors begin at `x` or later. */
function makeRoom(workflow: Workflow, id: string, x: number): Workflow {
  const behind = reachable(workflow, id);
  const lefts = workflow.nodes.filter((node) => behind.has(node.id) && node.position);
  const left = Math.min(...lefts.map(({ position }) => position!.x));
  const shift = Number.isFinite(left) ? x - left : 0;
  if (shift <= 0) return workflow;
  const nodes = workflow.nodes.map((node) =>
    behind.has(node.id) && node.position
      ? { ...node, position: { ...node.position, x: node.position.x + shift } }
      : node,
  );
  return { ...workflow, nodes };
}

/** The nodes behind a node, without those that lead back to it. */
function reachable({ connections }: Workflow, from: string): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const edge of connections)
      if (edge.from === id && !found.has(edge.to) && edge.to !== from) {
        found.add(edge.to);
        open.push(edge.to);
      }
  const isBefore = (id: string) => connections.some((edge) => edge.from === id && edge.to === from);
  return new Set([...found].filter((id) => !isBefore(id)));
}
