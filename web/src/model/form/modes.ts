/** The three ways to configure an MCP node, and the words of two of them. */

import { isObject } from "./values";
import type { JsonObject } from "../workflow/workflow";
import { text } from "../workflow/workflow";

export type Mode = "detailed" | "naturalLanguageParam" | "fullNaturalLanguage";

export const MODES: readonly { name: Mode; title: string; about: string }[] = [
  { name: "detailed", title: "Every value", about: "You choose the tool and set each of its values." },
  { name: "naturalLanguageParam", title: "Values in words", about: "You choose the tool and describe its values; a model fills them in." },
  { name: "fullNaturalLanguage", title: "Task in words", about: "You describe the task; a model chooses a tool of the server and its values." },
];

export interface Words {
  config: string;
  key: string;
  least: number;
  label: string;
}

export const MOST_CHARACTERS = 10_000;

export const WORDS: Readonly<Partial<Record<Mode, Words>>> = {
  naturalLanguageParam: { config: "naturalLanguageParamConfig", key: "description", least: 10, label: "What the tool should do" },
  fullNaturalLanguage: { config: "fullNaturalLanguageConfig", key: "taskDescription", least: 20, label: "The task" },
};

// What files in the wild call them.
const OTHER_NAMES: Record<string, Mode> = { aiParameterConfig: "naturalLanguageParam", aiToolSelection: "fullNaturalLanguage" };

export function modeOf(data: JsonObject): Mode {
  const named = text(data["mode"]);
  return MODES.find(({ name }) => name === named)?.name ?? OTHER_NAMES[named] ?? "detailed";
}

export function wordsOf(data: JsonObject, { config, key }: Words): string {
  const held = data[config];
  return isObject(held) ? text(held[key]) : "";
}

export function withWords(data: JsonObject, { config, key }: Words, words: string, now: string): JsonObject {
  const held = data[config];
  return { ...data, [config]: { ...(isObject(held) ? held : {}), [key]: words, timestamp: now } };
}

/** How many characters, counted as the service counts them, and whether that is right. */
export function counted(words: string, least: number): { count: number; isRight: boolean } {
  const count = [...words].length;
  return { count, isRight: words.trim() !== "" && count >= least && count <= MOST_CHARACTERS };
}

/** The tool that values are kept of, for coming back from a mode without a tool. */
export function toolBefore(data: JsonObject): string {
  const kept = [data["preservedDetailedConfig"], data["preservedNaturalLanguageParamConfig"]];
  return kept.map((one) => (isObject(one) ? text(one["toolName"]) : "")).find(Boolean) ?? "";
}

/** Names of the tools that the node's snapshot holds. */
export function snapshotTools(data: JsonObject): string[] {
  const config = data["fullNaturalLanguageConfig"];
  const listed = isObject(config) ? config["availableTools"] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.map((one) => (isObject(one) ? text(one["name"]) || text(one["toolName"]) : "")).filter(Boolean);
}
