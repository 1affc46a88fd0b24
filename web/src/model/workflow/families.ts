/** The family of a node type, which determines its color and icon. */

import type { WorkflowNode } from "./workflow";

export type Family =
  | "mcp"
  | "trigger"
  | "flow"
  | "action"
  | "ai"
  | "external"
  | "human"
  | "memory"
  | "prompt"
  | "ends"
  | "note"
  | "unknown";

const BY_TYPE: Readonly<Record<string, Family>> = {
  mcp: "mcp",
  TOOL: "mcp",
  TRIGGER: "trigger",
  FLOW: "flow",
  ifElse: "flow",
  switch: "flow",
  branch: "flow",
  multi_input: "flow",
  "flow-link": "flow",
  ACTION: "action",
  AI_AGENT: "ai",
  subAgent: "ai",
  subAgentFlow: "ai",
  skill: "ai",
  codex: "ai",
  EXTERNAL_ACTION: "external",
  MCP: "mcp",
  HUMAN_IN_THE_LOOP: "human",
  askUserQuestion: "human",
  MEMORY: "memory",
  prompt: "prompt",
  template: "prompt",
  start: "ends",
  end: "ends",
  input: "ends",
  result: "ends",
  note: "note",
  notes: "note",
  stickyNote: "note",
  group: "note",
};

export const FAMILY_TITLES: Readonly<Record<Family, string>> = {
  mcp: "MCP tools",
  trigger: "Triggers",
  flow: "Flow",
  action: "Actions",
  ai: "AI",
  external: "Services",
  human: "People",
  memory: "Memory",
  prompt: "Text",
  ends: "Start and end",
  note: "Annotations",
  unknown: "Other",
};

/** The order of families in the palette. */
export const FAMILIES: readonly Family[] = [
  "ends",
  "prompt",
  "flow",
  "trigger",
  "action",
  "ai",
  "human",
  "memory",
  "external",
  "mcp",
  "note",
  "unknown",
];

export function familyOf(type: string): Family {
  return BY_TYPE[type] ?? "unknown";
}

/** A text that is sent to a model looks like the other nodes that ask one. */
export function familyOfNode(node: WorkflowNode): Family {
  return asksModel(node) ? "ai" : familyOf(node.type);
}

export function asksModel({ type, data }: WorkflowNode): boolean {
  return familyOf(type) === "prompt" && data["answeredBy"] === "model";
}

/** Whether a node takes part in runs; notes and groups do not. */
export function canOpenNode(node: WorkflowNode): boolean {
  return familyOfNode(node) !== "note";
}
