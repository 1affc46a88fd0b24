/** Files of other programs: their nodes may cover each other, or not fit into their groups. */

import { GROUP_SIZE, moveNodes, resizeNode } from "../workflow/edits";
import type { Position, Workflow, WorkflowNode } from "../workflow/workflow";
import { nodeById } from "../workflow/workflow";
import type { NodeSizes } from "./geometry";
import { NODE_SIZE } from "./geometry";

const GROUP_MARGIN = 40;

/** Whether nodes of the same group, or outside of groups, have no position or cover each other. */
export function needsLayout({ nodes }: Workflow, sizes: NodeSizes): boolean {
  const steps = nodes.filter(({ type }) => type !== "group");
  if (steps.some(({ position }) => !position)) return true;
  const byLeft = steps.toSorted((a, b) => a.position!.x - b.position!.x);
  return byLeft.some((node, at) => coversNext(node, byLeft, at, sizes));
}

function sizeOf({ id, type, style }: WorkflowNode, sizes: NodeSizes): { width: number; height: number } {
  return type === "group" ? { ...GROUP_SIZE, ...style } : (sizes.get(id) ?? NODE_SIZE);
}

/** Whether a node covers one that begins before its right edge. */
function coversNext(
  node: WorkflowNode,
  byLeft: readonly WorkflowNode[],
  at: number,
  sizes: NodeSizes,
): boolean {
  const { width, height } = sizeOf(node, sizes);
  for (let index = at + 1; index < byLeft.length; index++) {
    const other = byLeft[index]!;
    if (other.position!.x - node.position!.x >= width) return false;
    const down = other.position!.y - node.position!.y;
    const isBeside = down >= height || -down >= sizeOf(other, sizes).height;
    if (other.parentId === node.parentId && !isBeside) return true;
  }
  return false;
}

/** Enlarges groups so that their members fit; the nodes stay where they are. */
export function fitGroups(workflow: Workflow, sizes: NodeSizes): Workflow {
  const groups = workflow.nodes.filter(({ type }) => type === "group");
  // Inner groups first, because they may become larger.
  const depth = ({ parentId }: WorkflowNode): number => {
    const outer = groups.find(({ id }) => id === parentId);
    return outer ? 1 + depth(outer) : 0;
  };
  return groups
    .toSorted((a, b) => depth(b) - depth(a))
    .reduce((current, { id }) => fitGroup(current, nodeById(current, id)!, sizes), workflow);
}

function fitGroup(workflow: Workflow, group: WorkflowNode, sizes: NodeSizes): Workflow {
  const members = workflow.nodes.filter(({ parentId, position }) => parentId === group.id && position);
  const left = missing(members.map(({ position }) => position!.x));
  const top = missing(members.map(({ position }) => position!.y));
  const size = sizeOf(group, sizes);
  const right = members.map((node) => node.position!.x + sizeOf(node, sizes).width + GROUP_MARGIN);
  const bottom = members.map((node) => node.position!.y + sizeOf(node, sizes).height + GROUP_MARGIN);
  const moved = left + top === 0 ? workflow : moveNodes(workflow, shifted(group, members, left, top));
  return resizeNode(
    moved,
    group.id,
    Math.max(size.width, ...right) + left,
    Math.max(size.height, ...bottom) + top,
  );
}

/** How far a group must reach further, if a member begins before its edge. */
function missing(starts: readonly number[]): number {
  const first = Math.min(...starts);
  return first < 0 ? GROUP_MARGIN - first : 0;
}

/** Positions within a group count from its corner. */
function shifted(
  group: WorkflowNode,
  members: readonly WorkflowNode[],
  left: number,
  top: number,
): Map<string, Position> {
  const { x, y } = group.position ?? { x: 0, y: 0 };
  return new Map([
    [group.id, { x: x - left, y: y - top }],
    ...members.map(({ id, position }) => [id, { x: position!.x + left, y: position!.y + top }] as const),
  ]);
}
