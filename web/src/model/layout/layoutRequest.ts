/** Converts a workflow to a layout request, and applies the result. */

import { GROUP_SIZE, moveNodes, resizeNode } from "../workflow/edits";
import type { Workflow } from "../workflow/workflow";
import type { LayoutResult, LayoutRequest } from "./autoLayout";
import type { NodeSizes } from "./geometry";

/** The workflow with its nodes at their new positions; nodes added in the meantime stay where they are. */
export function applyLayout(workflow: Workflow, result: LayoutResult): Workflow {
  const moved = moveNodes(workflow, new Map(result.map(({ id, position }) => [id, position])));
  return result.reduce(
    (current, { id, size }) => (size ? resizeNode(current, id, size.width, size.height) : current),
    moved,
  );
}

export function layoutRequest(workflow: Workflow, sizes?: NodeSizes): LayoutRequest {
  const ids = new Set(workflow.nodes.map(({ id }) => id));
  return {
    nodes: workflow.nodes.map((node) => ({
      id: node.id,
      ...(node.parentId && ids.has(node.parentId) ? { parentId: node.parentId } : {}),
      ...(node.type === "group"
        ? { width: node.style?.width ?? GROUP_SIZE.width, height: node.style?.height ?? GROUP_SIZE.height }
        : sizes?.get(node.id)),
    })),
    edges: workflow.connections.map(({ from, to }) => ({ from, to })),
  };
}
