/** The types of a workflow in canonical JSON. Values are immutable by convention. */

import { safeText } from "../text/untrusted";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Position {
  x: number;
  y: number;
}

export interface WorkflowNode {
  id: string;
  type: string;
  name: string;
  position?: Position;
  data: JsonObject;
  parentId?: string;
  style?: { width?: number; height?: number };
}

export interface Connection {
  id: string;
  from: string;
  to: string;
  fromPort?: string;
  toPort?: string;
  kind?: string;
  condition?: string;
}

/** Undeclared fields are preserved: nothing of a file is lost. */
export interface Workflow {
  id: string;
  name: string;
  description?: string;
  version: string;
  schemaVersion?: string;
  nodes: WorkflowNode[];
  connections: Connection[];
  inputSchema?: JsonObject;
  metadata?: JsonObject;
}

export const OUTPUT_PORT = "output";
export const INPUT_PORT = "input";
/** Every node can be left by it when it fails, whether or not its catalog entry lists it. */
export const ERROR_PORT = "error";
/** By which the body of a loop leads back to it; it is drawn at the loop's input. */
export const NEXT_PORT = "next";

/** A workflow with only a start and an end node. */
export function newWorkflow(name: string): Workflow {
  return {
    id: slug(name),
    name,
    version: "1.0.0",
    schemaVersion: "1.3.0",
    nodes: [
      { id: "start", type: "start", name: "Start", position: { x: 0, y: 0 }, data: {} },
      { id: "end", type: "end", name: "End", position: { x: 360, y: 0 }, data: {} },
    ],
    connections: [],
  };
}

/** A name in the form that ids and file names use. */
export function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return plain || "workflow";
}

export function nodeById(workflow: Workflow, id: string): WorkflowNode | undefined {
  return workflow.nodes.find((node) => node.id === id);
}

/** `FLOW.IF` for a catalog node, `TOOL.MCP:server/tool` for a tool, else the node's own type. */
export function nodeRef(node: WorkflowNode): string {
  const subtype = node.data["subtype"];
  if (node.type === "mcp")
    return `TOOL.MCP:${asText(node.data["serverId"])}/${asText(node.data["toolName"])}`;
  return typeof subtype === "string" && node.type === node.type.toUpperCase()
    ? `${node.type}.${subtype}`
    : node.type;
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The displayed name of a node, with invisible characters escaped. */
export function nodeTitle(node: WorkflowNode): string {
  return safeText(nodeName(node)).text;
}

export function nodeName(node: WorkflowNode): string {
  return node.name || asText(node.data["label"]) || node.id;
}
