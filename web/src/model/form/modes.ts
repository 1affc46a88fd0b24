/** The three configuration modes of an MCP node, and the description fields of two of them. */

import type { JsonObject } from "../workflow/workflow";
import { asText } from "../workflow/workflow";
import { isObject } from "./values";

export type Mode = "detailed" | "naturalLanguageParam" | "fullNaturalLanguage";

export const MODES: readonly { name: Mode; title: string; about: string }[] = [
  { name: "detailed", title: "Manual", about: "You choose the tool and set each of its values." },
  {
    name: "naturalLanguageParam",
    title: "Describe values (AI)",
    about: "You choose the tool and describe its values; a model fills them in.",
  },
  {
    name: "fullNaturalLanguage",
    title: "Describe task (AI)",
    about: "You describe the task; a model chooses a tool of the server and its values.",
  },
];

export interface DescriptionField {
  config: string;
  key: string;
  minLength: number;
  label: string;
}

export const MAX_CHARACTERS = 10_000;
/** A task chooses from at most this many tools. */
export const MAX_TOOLS = 200;

export const DESCRIPTION_FIELDS: Readonly<Partial<Record<Mode, DescriptionField>>> = {
  naturalLanguageParam: {
    config: "naturalLanguageParamConfig",
    key: "description",
    minLength: 10,
    label: "What the tool should do",
  },
  fullNaturalLanguage: {
    config: "fullNaturalLanguageConfig",
    key: "taskDescription",
    minLength: 20,
    label: "Task",
  },
};

// Names of the modes in existing files.
const MODE_ALIASES: Record<string, Mode> = {
  aiParameterConfig: "naturalLanguageParam",
  aiToolSelection: "fullNaturalLanguage",
};

export function modeOf(data: JsonObject): Mode {
  const named = asText(data["mode"]);
  return MODES.find(({ name }) => name === named)?.name ?? MODE_ALIASES[named] ?? "detailed";
}

export function descriptionOf(data: JsonObject, { config, key }: DescriptionField): string {
  const settings = data[config];
  return isObject(settings) ? asText(settings[key]) : "";
}

export function withDescription(
  data: JsonObject,
  { config, key }: DescriptionField,
  words: string,
  now: string,
): JsonObject {
  const settings = data[config];
  return { ...data, [config]: { ...(isObject(settings) ? settings : {}), [key]: words, timestamp: now } };
}

/** The length, counted in code points as the service does, and whether it is allowed. */
export function checkLength(words: string, least: number): { count: number; isRight: boolean } {
  const count = [...words].length;
  return { count, isRight: words.trim() !== "" && count >= least && count <= MAX_CHARACTERS };
}

/** The last tool of a node in a mode without a tool, for switching back. */
export function previousTool(data: JsonObject): string {
  const saved = [data["preservedDetailedConfig"], data["preservedNaturalLanguageParamConfig"]];
  return saved.map((value) => (isObject(value) ? asText(value["toolName"]) : "")).find(Boolean) ?? "";
}

/** The names of the tools in the snapshot stored in the node. */
export function snapshotTools(data: JsonObject): string[] {
  const config = data["fullNaturalLanguageConfig"];
  const listed = isObject(config) ? config["availableTools"] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed
    .map((value) => (isObject(value) ? asText(value["name"]) || asText(value["toolName"]) : ""))
    .filter(Boolean);
}
