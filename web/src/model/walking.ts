/** Arrows walk the graph: along connections to the sides, between neighbours up and down. */

import type { Workflow, WorkflowNode } from "./workflow";
import { nodeById } from "./workflow";

export type Direction = "left" | "right" | "up" | "down";

export function neighbour(workflow: Workflow, from: string | null, direction: Direction): string | null {
  const steps = workflow.nodes.filter((node) => node.type !== "group");
  const here = from ? nodeById(workflow, from) : undefined;
  if (!here) return steps[0]?.id ?? null;
  if (direction === "right") return linked(workflow, here.id, "from", "to") ?? nearest(steps, here, direction);
  if (direction === "left") return linked(workflow, here.id, "to", "from") ?? nearest(steps, here, direction);
  return nearest(steps, here, direction);
}

function linked(workflow: Workflow, id: string, at: "from" | "to", other: "from" | "to"): string | null {
  return workflow.connections.find((one) => one[at] === id)?.[other] ?? null;
}

/** The closest node on that side; what lies off the way counts double. */
function nearest(nodes: WorkflowNode[], here: WorkflowNode, direction: Direction): string | null {
  const at = here.position ?? { x: 0, y: 0 };
  let best: { id: string; far: number } | null = null;
  for (const node of nodes) {
    if (node === here) continue;
    const dx = (node.position?.x ?? 0) - at.x;
    const dy = (node.position?.y ?? 0) - at.y;
    const [along, across] = direction === "left" ? [-dx, dy] : direction === "right" ? [dx, dy] : direction === "up" ? [-dy, dx] : [dy, dx];
    if (along <= 0) continue;
    const far = along + 2 * Math.abs(across);
    if (!best || far < best.far) best = { id: node.id, far };
  }
  return best?.id ?? null;
}
