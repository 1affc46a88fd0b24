/** The parameter tree that forms are built from: of tools from the service, of nodes from their catalog fields. */

import type { Schemas } from "../../api/client";
import { choiceLabel } from "../text/choiceLabel";
import { fieldLabel } from "../text/fieldLabel";
import { safeText } from "../text/untrusted";
import type { Json, WorkflowNode } from "../workflow/workflow";

export interface Validation {
  enum?: Json[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Parameter {
  name: string;
  type: "string" | "number" | "integer" | "boolean" | "array" | "object";
  required?: boolean;
  description?: string;
  title?: string;
  default?: Json;
  validation?: Validation;
  items?: Parameter;
  /** What one of its items is called. */
  itemTitle?: string;
  prefixItems?: Parameter[];
  properties?: Record<string, Parameter>;
  kind?: "null" | "any" | "union";
  nullable?: boolean;
  extra?: boolean | Parameter;
  patternProperties?: Parameter[];
  variants?: Parameter[];
  discriminator?: string;
  recursiveRef?: string;
  /** For catalog fields only: long texts, secrets, and suggested values. */
  isLong?: boolean;
  isSensitive?: boolean;
  proposals?: string[];
  /** A setting of the node, then those of its values with which this one is used. */
  usedWhen?: readonly string[];
  /** What the options of `validation.enum` are called, if not by their values. */
  optionTitles?: Readonly<Record<string, string>>;
}

export type Control =
  "text" | "number" | "boolean" | "enum" | "constant" | "array" | "object" | "union" | "null" | "json";

/** Schemas can be nested without limit; deeper values are edited as JSON. */
export const MAX_DEPTH = 8;
const LONG_TEXT = 300;

/** The control for a parameter at some depth of its tree. */
export function controlOf(parameter: Parameter, depth = 0): Control {
  if (parameter.recursiveRef !== undefined || depth > MAX_DEPTH) return "json";
  const options = parameter.validation?.enum;
  if (options) return options.length === 1 && !parameter.nullable ? "constant" : "enum";
  if (parameter.kind === "union") return parameter.variants?.length ? "union" : "json";
  if (parameter.kind === "null") return "null";
  if (parameter.kind === "any") return "json";
  if (parameter.type === "string") return "text";
  if (parameter.type === "integer") return "number";
  if (parameter.type === "array") return parameter.items || parameter.prefixItems?.length ? "array" : "json";
  if (parameter.type === "object") return hasParts(parameter) ? "object" : "json";
  return parameter.type;
}

function hasParts(parameter: Parameter): boolean {
  return (
    propertiesOf(parameter).length > 0 ||
    Boolean(parameter.extra) ||
    Boolean(parameter.patternProperties?.length)
  );
}

export function propertiesOf(parameter: Parameter): Parameter[] {
  return Object.entries(parameter.properties ?? {}).map(([name, one]) => ({ ...one, name }));
}

export function itemParameter(parameter: Parameter, at: number): Parameter {
  return parameter.prefixItems?.[at] ?? parameter.items ?? anyParameter(String(at));
}

export function anyParameter(name: string): Parameter {
  return { name, type: "string", kind: "any" };
}

/** The parameter of a key that the object does not declare; null if it allows no other keys. */
export function entryParameter(parameter: Parameter, key: string): Parameter | null {
  const { extra } = parameter;
  if (typeof extra === "object") return { ...extra, name: key, title: key };
  const [only, ...others] = parameter.patternProperties ?? [];
  if (only && others.length === 0 && !extra) return { ...only, name: key, title: key };
  return extra || only ? { ...anyParameter(key), title: key } : null;
}

export function isMultiline(parameter: Parameter, value: unknown): boolean {
  if (parameter.isLong || (typeof value === "string" && value.includes("\n"))) return true;
  return (parameter.validation?.maxLength ?? 0) > LONG_TEXT;
}

/** Fields for the values of a tool that is unknown, so that they are still visible and can be reused. */
export function inferParameters(values: Json | undefined): Parameter[] {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return [];
  return Object.entries(values).map(([name, value]) => ({ name, ...inferType(value) }));
}

function inferType(value: Json): Pick<Parameter, "type" | "kind"> {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return { type: typeof value as "string" };
  return { type: Array.isArray(value) ? "array" : "object", kind: "any" };
}

export function labelOf(parameter: Parameter): string {
  return safeText(parameter.title || fieldLabel(parameter.name)).text;
}

type Field = Schemas["NodeFieldResponse"];

const TYPES: Record<string, Parameter["type"]> = {
  string: "string",
  integer: "integer",
  float: "number",
  boolean: "boolean",
  object: "object",
  array: "array",
};

/** Lists of objects that have a form. */
const LISTS: Readonly<Record<string, Partial<Parameter>>> = {
  cases: {
    itemTitle: "Case",
    description: "The first case whose condition is true continues at its own output, else Default.",
    items: {
      name: "case",
      type: "object",
      properties: { when: { name: "when", title: "Condition", type: "string", required: true } },
    },
  },
};

/** A field of a catalog node as a parameter. */
export function fieldParameter(field: Field): Parameter {
  const type = TYPES[field.type];
  const parameter: Parameter = {
    name: field.name,
    type: type ?? "string",
    // With a default, nothing has to be entered.
    required: field.required && (field.default ?? null) === null,
    description: field.description,
    isLong: field.multiline,
    isSensitive: field.sensitive,
  };
  if (!type) parameter.kind = "any";
  if (field.default !== null && field.default !== undefined) parameter.default = field.default as Json;
  if (field.usedWhen.length) parameter.usedWhen = field.usedWhen;
  if (field.options.length && field.isOpen) parameter.proposals = field.options;
  const validation: Validation = {};
  if (field.options.length && !field.isOpen) {
    validation.enum = field.options;
    parameter.optionTitles = Object.fromEntries(field.options.map((value) => [value, choiceLabel(value)]));
  }
  if (field.minimum !== null) validation.minimum = field.minimum;
  if (field.maximum !== null) validation.maximum = field.maximum;
  if (Object.keys(validation).length) parameter.validation = validation;
  const items = field.items ? TYPES[field.items] : undefined;
  if (type === "array" && items && items !== "object" && items !== "array")
    parameter.items = { name: "item", type: items };
  return items === "object" ? { ...parameter, ...LISTS[field.name] } : parameter;
}

/** Whether a setting has an effect with the values of the others; an expression may have any value. */
export function isUsedSetting(
  parameter: Parameter,
  all: readonly Parameter[],
  settings: Readonly<Record<string, Json>>,
): boolean {
  const [name, ...values] = parameter.usedWhen ?? [];
  if (name === undefined) return true;
  const chosen = settings[name] ?? all.find((other) => other.name === name)?.default;
  const isOpen = chosen === undefined || (typeof chosen === "string" && chosen.includes("{{"));
  return isOpen || values.includes(String(chosen));
}

const PROMPT_TEXT: Parameter = {
  name: "prompt",
  title: "Text",
  type: "string",
  required: true,
  isLong: true,
  description: "Insert values with {{ }}, for example {{ who }}.",
};
const PROMPT_ANSWER: Parameter = {
  name: "answeredBy",
  title: "Output",
  type: "string",
  default: "substitution",
  validation: { enum: ["substitution", "model"] },
  optionTitles: { substitution: "Template text", model: "Ask a model" },
  description:
    "Template text outputs the filled text. Ask a model sends it to a model and outputs the answer.",
};
const NOTE_TEXT: Parameter = { name: "content", title: "Note", type: "string", isLong: true };
const GROUP_LABEL: Parameter = { name: "label", title: "Label", type: "string" };
const QUESTION_FIELDS: Parameter[] = [
  { name: "questionText", title: "Question", type: "string", required: true, isLong: true },
  {
    name: "options",
    title: "Answers",
    type: "array",
    description: "Each option is an output of the node.",
    items: {
      name: "option",
      type: "object",
      properties: {
        label: { name: "label", title: "Answer", type: "string", required: true },
        description: { name: "description", title: "Description", type: "string" },
      },
    },
  },
  { name: "multiSelect", title: "Allow several choices", type: "boolean", default: false },
];

/** The fields of built-in steps; none for nodes that are edited as JSON. */
export function builtInParameters(node: WorkflowNode): Parameter[] {
  if (node.type === "prompt") return [PROMPT_TEXT, PROMPT_ANSWER];
  if (node.type === "note") return [NOTE_TEXT];
  if (node.type === "group") return [GROUP_LABEL];
  return node.type === "askUserQuestion" ? QUESTION_FIELDS : [];
}
