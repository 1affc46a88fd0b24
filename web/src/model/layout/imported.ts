/** Files of other programs: their nodes may cover each other, or not fit into their groups. */

import { GROUP_SIZE, resizeNode } from "../workflow/edits";
import type { Workflow, WorkflowNode } from "../workflow/workflow";
import { NODE_SIZE } from "./geometry";

const GROUP_MARGIN = 40;

/** Whether nodes of the same group, or outside of groups, have no position or cover each other. */
export function needsLayout({ nodes }: Workflow): boolean {
  const steps = nodes.filter(({ type }) => type !== "group");
  if (steps.some(({ position }) => !position)) return true;
  const byLeft = steps.toSorted((a, b) => a.position!.x - b.position!.x);
  return byLeft.some((node, at) => coversNext(node, byLeft, at));
}

/** Whether a node covers one that begins before its right edge. */
function coversNext(node: WorkflowNode, byLeft: readonly WorkflowNode[], at: number): boolean {
  for (let index = at + 1; index < byLeft.length; index++) {
    const other = byLeft[index]!;
    if (other.position!.x - node.position!.x >= NODE_SIZE.width) return false;
    const isBeside = Math.abs(other.position!.y - node.position!.y) >= NODE_SIZE.height;
    if (other.parentId === node.parentId && !isBeside) return true;
  }
  return false;
}

/** Enlarges groups so that their members fit. */
export function fitGroups(workflow: Workflow): Workflow {
  return workflow.nodes
    .filter(({ type }) => type === "group")
    .reduce((current, group) => {
      const members = workflow.nodes.filter(({ parentId, position }) => parentId === group.id && position);
      const { width, height } = { ...GROUP_SIZE, ...group.style };
      const right = Math.max(...members.map(({ position }) => position!.x + NODE_SIZE.width + GROUP_MARGIN));
      const bottom = Math.max(
        ...members.map(({ position }) => position!.y + NODE_SIZE.height + GROUP_MARGIN),
      );
      return resizeNode(current, group.id, Math.max(width, right), Math.max(height, bottom));
    }, workflow);
}
