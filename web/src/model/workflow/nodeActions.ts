/** What can be done with a single node on the canvas. */

import { changeNode } from "./edits";
import { pinOf } from "./studioData";
import type { JsonObject, Workflow } from "./workflow";
import { nodeById } from "./workflow";

export function pinOfNode(workflow: Workflow, id: string): boolean {
  return pinOf(workflow, id) !== undefined;
}

export function isDisabledNode(workflow: Workflow, id: string): boolean {
  const settings = nodeById(workflow, id)?.data["configurations"] as JsonObject | undefined;
  return settings?.["enabled"] === false;
}

/** A disabled node passes its input on; start, end, groups and notes cannot be disabled. */
export function canBeDisabled(workflow: Workflow, id: string): boolean {
  const type = nodeById(workflow, id)?.type ?? "";
  return type !== "" && type === type.toUpperCase() && type !== "TRIGGER";
}

export function toggleDisabled(workflow: Workflow, id: string): Workflow {
  return changeNode(workflow, id, (node) => {
    const { enabled, ...settings } = (node.data["configurations"] ?? {}) as JsonObject;
    const configurations = enabled === false ? settings : { ...settings, enabled: false };
    return { ...node, data: { ...node.data, configurations } };
  });
}
