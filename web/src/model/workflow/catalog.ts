/** Everything that can be added to a workflow: catalog nodes, tools of servers, and built-in steps. */

import type { Schemas } from "../../api/client";
import { safeText } from "../text/untrusted";
import type { Family } from "./families";
import { familyOf, familyOfNode } from "./families";
import { kindIcon, monogram } from "./kindIcons";
import type { Json, JsonObject, WorkflowNode } from "./workflow";
import { nodeRef, asText } from "./workflow";

export type CatalogEntry = Schemas["NodeSummaryResponse"];
export type Port = Schemas["PortResponse"];
export type Specs = ReadonlyMap<string, CatalogEntry>;

/** The data transfer type of an entry that is dragged from the palette onto the canvas. */
export const ENTRY_DRAG_TYPE = "application/x-toolweave-node";

const SINGLE_INPUT: Port[] = [{ name: "input", description: "The output of the previous node." }];
const SINGLE_OUTPUT: Port[] = [{ name: "output", description: "The output for the next node." }];

function builtInStep(
  type: string,
  summary: string,
  ports: { in: Port[]; out: Port[] },
  ...keywords: string[]
): CatalogEntry {
  return {
    ref: type,
    type,
    subtype: "",
    summary,
    effect: "pure",
    keywords,
    inputPorts: ports.in,
    outputPorts: ports.out,
    server: null,
    tool: null,
    cautions: [],
  };
}

/** Steps that are not catalog nodes; they come first in the palette. */
export const BUILT_IN_STEPS: readonly CatalogEntry[] = [
  builtInStep(
    "start",
    "Where a workflow starts; outputs the inputs of the run.",
    { in: [], out: SINGLE_OUTPUT },
    "begin",
  ),
  builtInStep(
    "end",
    "Where a workflow ends; its input is the result.",
    { in: SINGLE_INPUT, out: [] },
    "finish",
    "result",
  ),
  builtInStep(
    "prompt",
    "Outputs a text with values in it, or a model's answer to it.",
    { in: SINGLE_INPUT, out: SINGLE_OUTPUT },
    "template",
    "text",
    "message",
  ),
  builtInStep(
    "askUserQuestion",
    "Asks a person and continues on the branch of the answer.",
    { in: SINGLE_INPUT, out: [] },
    "human",
    "choice",
  ),
  builtInStep("group", "A frame around steps that belong together.", { in: [], out: [] }, "frame", "box"),
  builtInStep("note", "A note on the canvas; it is never run.", { in: [], out: [] }, "comment", "sticky"),
];

export const NODE_TITLES: Readonly<Record<string, string>> = {
  start: "Start",
  end: "End",
  prompt: "Prompt",
  askUserQuestion: "Ask a person",
  group: "Group",
  note: "Note",
  mcp: "MCP tool",
  ifElse: "If / else",
  switch: "Switch",
  subAgent: "Sub-agent",
  subAgentFlow: "Sub-agent flow",
  skill: "Skill",
  codex: "Codex",
  template: "Template",
  multi_input: "Several inputs",
  result: "Result",
  "TRIGGER.CRON": "Schedule",
  "AI_AGENT.OPENAI_CHATGPT": "OpenAI ChatGPT",
  "AI_AGENT.ANTHROPIC_CLAUDE": "Anthropic Claude",
  "AI_AGENT.GOOGLE_GEMINI": "Google Gemini",
  "AI_AGENT.OPENAI_COMPATIBLE": "OpenAI-compatible model",
  "EXTERNAL_ACTION.GOOGLE_CALENDAR": "Google Calendar",
  "EXTERNAL_ACTION.DISCORD_ACTION": "Discord",
  "EXTERNAL_ACTION.TELEGRAM_ACTION": "Telegram",
};

/** `FLOW.FOR_EACH` → `For each`; a tool keeps its own name. */
export function entryTitle(entry: CatalogEntry): string {
  if (entry.tool) return entry.tool;
  return NODE_TITLES[entry.ref] ?? humanize(entry.subtype || entry.type);
}

/** What an entry's icon is made of. */
export function entryIcon(entry: CatalogEntry): {
  family: Family;
  kind: ReturnType<typeof kindIcon>;
  monogram: ReturnType<typeof monogram> | null;
} {
  return {
    family: familyOf(entry.type),
    kind: kindIcon(entry.ref),
    monogram: entry.server ? monogram(entry.server) : null,
  };
}

/** What a node's icon is made of: the same as that of the entry it was added from. */
export function nodeIcon(node: WorkflowNode): ReturnType<typeof entryIcon> {
  const ref = nodeRef(node);
  const server = /MCP:([^/]+)\//.exec(ref)?.[1];
  return {
    family: familyOfNode(node),
    kind: kindIcon(ref),
    monogram: server ? monogram(server) : null,
  };
}

/** The displayed text of an entry; the name and description of a tool come from its server. */
export function entryText(entry: CatalogEntry): { title: string; summary: string; warnings: string[] } {
  if (!entry.server) {
    // A service has an action of the same name.
    const kind = entry.type === "TRIGGER" ? "Trigger · " : "";
    return { title: entryTitle(entry), summary: kind + entry.summary, warnings: [] };
  }
  const [title, summary] = [
    safeText(entryTitle(entry)),
    safeText(`${entry.server} · ${entry.summary.slice(0, MAX_SUMMARY)}`),
  ];
  return {
    title: title.text,
    summary: summary.text,
    warnings: [...new Set([...title.warnings, ...summary.warnings])],
  };
}

const MAX_SUMMARY = 300;

export function humanize(name: string): string {
  const lowercase = name.replace(/_/g, " ").toLowerCase();
  const capitalized = lowercase.replace(
    /\b(ai|mcp|http|api|json|url|id|openai|github)\b/g,
    (word) => PROPER_NAMES[word] ?? word.toUpperCase(),
  );
  return capitalized.charAt(0).toUpperCase() + capitalized.slice(1);
}

const PROPER_NAMES: Record<string, string> = { openai: "OpenAI", github: "GitHub" };

export function specsByRef(entries: readonly CatalogEntry[]): Specs {
  return new Map([...BUILT_IN_STEPS, ...entries].map((entry) => [entry.ref, entry]));
}

const SWITCH = "FLOW.SWITCH";
export const DECISION_TYPES = new Set(["ifElse", "switch", "branch", "askUserQuestion"]);

/** The output ports of a node: one per branch of a decision, else those of its catalog entry. */
export function outputPorts(node: WorkflowNode, specs: Specs): string[] {
  if (node.type === "end" || node.type === "group" || isNote(node)) return [];
  const choices = branches(node).length;
  if (DECISION_TYPES.has(node.type) && choices > 0 && node.data["multiSelect"] !== true) {
    return Array.from({ length: choices }, (_, at) => `branch-${at}`);
  }
  if (node.type === "mcp") return ["output"];
  const spec = specs.get(nodeRef(node));
  const ports = spec?.outputPorts.length ? spec.outputPorts.map((port) => port.name) : ["output"];
  const count = switchCases(node)?.length;
  // Its catalog entry lists as many cases as a switch can have.
  return count === undefined
    ? ports
    : ports.filter((port) => !CASE_PORT.test(port) || Number(CASE_PORT.exec(port)![1]) < Math.max(count, 1));
}

const CASE_PORT = /^case-(\d+)$/;
const MAX_CASE_LABEL = 28;

/** The cases of a switch; undefined if an expression computes them. */
function switchCases(node: WorkflowNode): readonly Json[] | undefined {
  if (nodeRef(node) !== SWITCH) return undefined;
  const { cases } = (node.data["configurations"] ?? {}) as JsonObject;
  return cases === undefined || cases === null ? [] : Array.isArray(cases) ? cases : undefined;
}

function caseLabel(node: WorkflowNode, port: string): string {
  const at = CASE_PORT.exec(port);
  const found = at && switchCases(node)?.[Number(at[1])];
  const text = asText((found as JsonObject | null | undefined)?.["when"]).trim();
  return text.length > MAX_CASE_LABEL ? `${text.slice(0, MAX_CASE_LABEL)}…` : text;
}

export function inputPorts(node: WorkflowNode, specs: Specs): string[] {
  if (node.type === "start" || node.type === "group" || isNote(node) || node.type === "TRIGGER") return [];
  const spec = node.type === "mcp" ? undefined : specs.get(nodeRef(node));
  return spec?.inputPorts.length ? spec.inputPorts.map((port) => port.name) : ["input"];
}

/** Whether a node repeats a part of the workflow. */
export function isLoop(node: WorkflowNode): boolean {
  const ref = nodeRef(node);
  return ref === "FLOW.LOOP" || ref === "FLOW.FOR_EACH";
}

export function isNote(node: WorkflowNode): boolean {
  return node.type === "note" || node.type === "notes" || node.type === "stickyNote";
}

function branches(node: WorkflowNode): JsonObject[] {
  const listed = node.data[node.type === "askUserQuestion" ? "options" : "branches"];
  return Array.isArray(listed) ? (listed as JsonObject[]) : [];
}

/** The displayed name of a port; branches have their own labels, cases their conditions. */
export function portLabel(node: WorkflowNode, port: string): string {
  const at = /^branch-(\d+)$/.exec(port);
  const label = at ? asText(branches(node)[Number(at[1])]?.["label"]) : "";
  return label || safeText(caseLabel(node, port)).text || port;
}

/** The initial data of a new node. */
export function initialData(entry: CatalogEntry): JsonObject {
  if (entry.server && entry.tool) {
    return {
      serverId: entry.server,
      toolName: entry.tool,
      toolDescription: entry.summary,
      parameters: [],
      parameterValues: {},
      validationStatus: "valid",
      outputPorts: 1,
      mode: "detailed",
    };
  }
  if (entry.ref === SWITCH) return { subtype: entry.subtype, configurations: { cases: [{ when: "" }] } };
  if (entry.subtype) return { subtype: entry.subtype, configurations: {} };
  if (entry.type === "prompt") return { prompt: "" };
  if (entry.type === "note") return { content: "" };
  if (entry.type === "askUserQuestion") {
    return {
      questionText: "",
      options: [
        { label: "Yes", description: "" },
        { label: "No", description: "" },
      ],
      outputPorts: 2,
    };
  }
  return entry.type === "group" ? { label: "Group" } : {};
}

/** The node type that an entry is stored as. */
export function nodeTypeOf(entry: CatalogEntry): string {
  return entry.server ? "mcp" : entry.type;
}
