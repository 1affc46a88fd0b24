/** The form of a question, from the flat schema of its answer, and the answer from the form's values. */

import type { Schemas } from "../../api/client";
import { fieldLabel } from "../text/fieldLabel";
import type { Json, JsonObject } from "../workflow/workflow";

export type Question = Schemas["InboxQuestion"];

export interface Option {
  value: Json;
  label: string;
}

export type FieldKind = "text" | "lines" | "number" | "boolean" | "choice" | "several" | "json";

export interface AnswerField {
  name: string;
  title: string;
  note: string | null;
  kind: FieldKind;
  isRequired: boolean;
  options: Option[];
}

/** The form's values by field; options by their index. */
export type AnswerValues = Readonly<Record<string, string | boolean | readonly number[]>>;

const LONG_TEXT = 500;

export function answerFields(schema: JsonObject): AnswerField[] {
  const properties = asObject(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, property]) =>
    answerField(name, asObject(property), required.includes(name)),
  );
}

function answerField(name: string, schema: JsonObject, isRequired: boolean): AnswerField {
  const title = typeof schema["title"] === "string" && schema["title"] ? schema["title"] : fieldLabel(name);
  const note = typeof schema["description"] === "string" ? schema["description"] : null;
  const items = asObject(schema["items"]);
  const options = optionsOf(schema["type"] === "array" ? items : schema);
  return { name, title, note, kind: kindOf(schema, options), isRequired, options };
}

function kindOf(schema: JsonObject, options: Option[]): FieldKind {
  const type = schema["type"];
  if (type === "array") return options.length > 0 ? "several" : "json";
  if (options.length > 0) return "choice";
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return "number";
  if (type !== "string") return "json";
  return typeof schema["maxLength"] === "number" && schema["maxLength"] > LONG_TEXT ? "lines" : "text";
}

function optionsOf(schema: JsonObject): Option[] {
  const titled = [schema["oneOf"], schema["anyOf"]].map(titledOptions).find((options) => options.length > 0);
  if (titled) return titled;
  const listed = Array.isArray(schema["enum"]) ? (schema["enum"] as Json[]) : [];
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  return listed.map((value, at) => ({
    value,
    label: String(names[at] ?? labelOf(value)),
  }));
}

/** Options with titles, as MCP servers write them: a list of `{ const, title }`. */
function titledOptions(variants: unknown): Option[] {
  const listed = Array.isArray(variants) ? variants.map(asObject) : [];
  if (!listed.every((variant) => "const" in variant)) return [];
  return listed.map(({ const: value, title }) => ({
    value: value!,
    label: typeof title === "string" && title ? title : labelOf(value!),
  }));
}

function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The only required field, if it is a choice: its options can be shown as buttons. */
export function decisionField(fields: readonly AnswerField[]): AnswerField | null {
  const required = fields.filter((field) => field.isRequired);
  const only = required.length === 1 ? required[0]! : null;
  return only?.kind === "choice" && only.options.length <= 6 ? only : null;
}

export interface Decision {
  /** The index of the option. */
  at: number;
  label: string;
  /** The key that chooses it, for approvals. */
  key: "a" | "r" | null;
}

const REJECTED = "rejected";

/** The options of a decision; an approval is answered with A or R. */
export function decisionsOf(field: AnswerField, kind: string): Decision[] {
  const isApproval = kind === "approval" && field.options.length === 2;
  return field.options.map(({ value, label }, at) => {
    if (!isApproval) return { at, label, key: null };
    const isRejection = value === REJECTED || (at === 1 && field.options[0]!.value !== REJECTED);
    return { at, label: isRejection && label === "Decline" ? "Reject" : label, key: isRejection ? "r" : "a" };
  });
}

export interface ParsedAnswer {
  reply: JsonObject;
  /** Errors by field. */
  faults: Record<string, string>;
}

/** The answer without empty fields; the service reports which ones it requires. */
export function parseAnswer(fields: readonly AnswerField[], values: AnswerValues): ParsedAnswer {
  const reply: JsonObject = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    try {
      const value = valueOf(field, values[field.name]);
      if (value !== undefined) reply[field.name] = value;
      else if (field.isRequired) faults[field.name] = "Required.";
    } catch {
      faults[field.name] = field.kind === "number" ? "Enter a number." : "Enter valid JSON.";
    }
  }
  return { reply, faults };
}

function valueOf(field: AnswerField, typed: AnswerValues[string] | undefined): Json | undefined {
  if (field.kind === "boolean") return typed === true;
  if (field.kind === "several")
    return (Array.isArray(typed) ? typed : []).map((at: number) => field.options[at]!.value);
  if (typeof typed !== "string" || typed === "") return undefined;
  if (field.kind === "choice") return field.options[Number(typed)]?.value;
  if (field.kind === "json") return JSON.parse(typed) as Json;
  if (field.kind !== "number") return typed;
  const number = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(number)) throw new Error("no number");
  return number;
}

function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
