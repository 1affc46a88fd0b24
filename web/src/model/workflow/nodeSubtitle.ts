/** What a node will do, in one line below its title: a condition, an address, a schedule, a text. */

import { parseSchedule, scheduleSentence } from "../form/schedule";
import { safeText } from "../text/untrusted";
import { asksModel } from "./families";
import type { JsonObject, WorkflowNode } from "./workflow";
import { asText, nodeRef } from "./workflow";

export interface Subtitle {
  text: string;
  /** An expression, path or query, set in the font of code. */
  isCode: boolean;
}

const MAX_CHARS = 80;

/** The setting that says the most about a node, by node reference; several are joined with a space. */
const CODE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  "FLOW.IF": ["condition_expression"],
  "FLOW.SWITCH": ["expression"],
  "FLOW.SORT": ["sort_field", "order"],
  "ACTION.HTTP_REQUEST": ["method", "url"],
  "ACTION.DATABASE_QUERY": ["query"],
  "ACTION.FILE_READ": ["path"],
  "ACTION.FILE_WRITE": ["path"],
  "ACTION.RUN_COMMAND": ["command"],
  "TRIGGER.CRON": ["cron_expression"],
  "TRIGGER.WEBHOOK": ["webhook_path"],
  "TRIGGER.FILE_WATCH": ["path", "pattern"],
  ifElse: ["condition"],
};

const TEXT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  "FLOW.SUBWORKFLOW": ["workflow"],
  "FLOW.STOP": ["message"],
  "FLOW.MERGE": ["merge_strategy"],
  "ACTION.WEB_SEARCH": ["query"],
  "ACTION.DATA_TRANSFORMATION": ["operation"],
  "AI_AGENT.CLASSIFY": ["instructions"],
  "AI_AGENT.EXTRACT": ["instructions"],
  "MCP.RESOURCE": ["uri"],
  "MCP.PROMPT": ["prompt"],
  "HUMAN_IN_THE_LOOP.FORM": ["form_title"],
  "HUMAN_IN_THE_LOOP.MANUAL_REVIEW": ["review_title"],
  "MEMORY.KNOWLEDGE_BASE": ["operation", "base_name"],
  "MEMORY.KEY_VALUE_STORE": ["operation", "key"],
  "MEMORY.ENTITY": ["operation", "memory_name"],
  "MEMORY.DOCUMENT_STORE": ["operation", "collection_name"],
  prompt: ["prompt"],
  template: ["template"],
  askUserQuestion: ["questionText"],
  subAgent: ["description", "prompt"],
};

/** Settings that many nodes have, if nothing else describes a node. */
const COMMON_FIELDS = ["action_type", "operation_type", "user_prompt", "system_prompt"] as const;

/** Null if the node has no setting yet that says what it does. */
export function nodeSubtitle(node: WorkflowNode): Subtitle | null {
  const ref = nodeRef(node);
  const built = PHRASES[ref]?.(node);
  if (built) return shortened(built, false);
  const code = CODE_FIELDS[ref] ? valuesOf(node, CODE_FIELDS[ref]) : "";
  if (code) return shortened(code, true);
  const text = valuesOf(node, TEXT_FIELDS[ref] ?? []) || firstValue(node, COMMON_FIELDS);
  if (asksModel(node)) return shortened(text ? `Ask a model: ${text}` : "Ask a model", false);
  return text ? shortened(text, false) : null;
}

const PHRASES: Readonly<Record<string, (node: WorkflowNode) => string>> = {
  "FLOW.FOR_EACH": (node) => {
    const list = setting(node, "array_path");
    return list ? `for each of ${list}` : "for each item";
  },
  "TRIGGER.CRON": (node) => {
    const schedule = parseSchedule(setting(node, "cron_expression"));
    return schedule ? scheduleSentence(schedule) : "";
  },
  "FLOW.DELAY": (node) => {
    const seconds = setting(node, "duration_seconds");
    return seconds ? `wait ${seconds} s` : "";
  },
};

function setting({ data }: WorkflowNode, name: string): string {
  const [configured, given] = [data["configurations"], data["input_params"]] as (JsonObject | undefined)[];
  const value = given?.[name] ?? configured?.[name] ?? data[name];
  return typeof value === "number" ? String(value) : asText(value);
}

function valuesOf(node: WorkflowNode, names: readonly string[]): string {
  return names
    .map((name) => setting(node, name))
    .filter(Boolean)
    .join(" ");
}

function firstValue(node: WorkflowNode, names: readonly string[]): string {
  const found = names.map((name) => setting(node, name)).find(Boolean) ?? "";
  // Options are words such as `send_message`.
  return /^[a-z_]+$/.test(found) ? found.replace(/_/g, " ") : found;
}

function shortened(text: string, isCode: boolean): Subtitle {
  const line = text.trim().replace(/\s+/g, " ");
  const cut = line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line;
  return { text: safeText(cut).text, isCode };
}
