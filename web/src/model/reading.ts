/** Text to workflow, as far as the canvas needs it; what is wrong inside is the service's to say. */

import type { Workflow } from "./workflow";

export interface ReadWorkflow {
  workflow: Workflow | null;
  fault: string | null;
}

export function readWorkflow(text: string): ReadWorkflow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused((error as Error).message);
  }
  if (!isObject(value)) return refused("a workflow is an object");
  const { nodes, connections } = value;
  if (!Array.isArray(nodes)) return refused("`nodes` must be a list");
  if (!Array.isArray(connections)) return refused("`connections` must be a list");
  const badNode = nodes.findIndex((node) => !isObject(node) || !isText(node["id"]) || !isText(node["type"]) || !isObject(node["data"]));
  if (badNode >= 0) return refused(`node ${badNode} needs an id, a type and data`);
  const badEdge = connections.findIndex((edge) => !isObject(edge) || !isText(edge["id"]) || !isText(edge["from"]) || !isText(edge["to"]));
  if (badEdge >= 0) return refused(`connection ${badEdge} needs an id, from and to`);
  if (!isText(value["name"])) return refused("`name` is missing");
  return { workflow: value as unknown as Workflow, fault: null };
}

function refused(fault: string): ReadWorkflow {
  return { workflow: null, fault: `The canvas stays as it was: ${fault}` };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
