/** The inputs that a workflow declares, as rows of a form. What a row does not show of its schema is kept. */

import type { Json, JsonObject, Workflow } from "./workflow";

export const INPUT_TYPES = [
  { name: "string", title: "Text" },
  { name: "number", title: "Number" },
  { name: "integer", title: "Whole number" },
  { name: "boolean", title: "Yes or no" },
  { name: "array", title: "List" },
  { name: "object", title: "Object" },
  { name: "", title: "Anything" },
] as const;

export interface DeclaredInput {
  name: string;
  /** One of `INPUT_TYPES`; null for a schema that says more than one. */
  type: string | null;
  isRequired: boolean;
  description: string;
  default: Json | undefined;
}

export function declaredInputs({ inputSchema }: Workflow): DeclaredInput[] {
  const required = requiredOf(inputSchema);
  return entriesOf(inputSchema).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    isRequired: required.includes(name),
    description: typeof schema["description"] === "string" ? schema["description"] : "",
    default: schema["default"],
  }));
}

function typeOf({ type = "" }: JsonObject): string | null {
  return INPUT_TYPES.some(({ name }) => name === type) ? (type as string) : null;
}

/** Adds a text with a name that is free. */
export function addInput(workflow: Workflow): Workflow {
  const taken = entriesOf(workflow.inputSchema).map(([name]) => name);
  let name = "input";
  for (let number = 2; taken.includes(name); number += 1) name = `input_${number}`;
  const properties = { ...propertiesOf(workflow.inputSchema), [name]: { type: "string" } };
  return { ...workflow, inputSchema: { type: "object", ...workflow.inputSchema, properties } };
}

/** Without its last input a workflow declares none, and takes any. */
export function removeInput(workflow: Workflow, name: string): Workflow {
  const entries = entriesOf(workflow.inputSchema).filter(([other]) => other !== name);
  if (entries.length === 0) {
    const { inputSchema: _, ...rest } = workflow;
    return rest;
  }
  return withEntries(
    workflow,
    entries,
    requiredOf(workflow.inputSchema).filter((other) => other !== name),
  );
}

export function changeInput(workflow: Workflow, name: string, change: Partial<DeclaredInput>): Workflow {
  const { name: newName = name, isRequired } = change;
  const entries = entriesOf(workflow.inputSchema).map(([other, schema]): [string, JsonObject] =>
    other === name ? [newName, changeSchema(schema, change)] : [other, schema],
  );
  const before = requiredOf(workflow.inputSchema);
  const isListed = before.includes(name);
  const required = before
    .filter((other) => other !== name || isRequired !== false)
    .map((other) => (other === name ? newName : other));
  return withEntries(workflow, entries, isRequired && !isListed ? [...required, newName] : required);
}

function changeSchema(schema: JsonObject, change: Partial<DeclaredInput>): JsonObject {
  const changed: JsonObject = { ...schema };
  const set = (key: string, value: Json | undefined) => {
    if (value === undefined || value === "") delete changed[key];
    else changed[key] = value;
  };
  if ("type" in change) {
    set("type", change.type ?? undefined);
    // A value of another type is no default.
    if (change.type !== schema["type"]) delete changed["default"];
  }
  if ("description" in change) set("description", change.description);
  if ("default" in change) set("default", change.default);
  return changed;
}

/** Why an input cannot have a name; expressions read it as `trigger.name`. */
export function inputNameFault(workflow: Workflow, from: string, to: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(to)) return "Use letters, digits and _";
  const isTaken = to !== from && entriesOf(workflow.inputSchema).some(([name]) => name === to);
  return isTaken ? "There is an input with this name" : null;
}

function withEntries(workflow: Workflow, entries: [string, JsonObject][], required: string[]): Workflow {
  const schema: JsonObject = { ...workflow.inputSchema, properties: Object.fromEntries(entries) };
  if (required.length > 0) schema["required"] = required;
  else delete schema["required"];
  return { ...workflow, inputSchema: schema };
}

function entriesOf(schema: JsonObject | undefined): [string, JsonObject][] {
  return Object.entries(propertiesOf(schema)).map(([name, property]) => [
    name,
    isObject(property) ? property : {},
  ]);
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.["properties"];
  return isObject(properties) ? properties : {};
}

function requiredOf(schema: JsonObject | undefined): string[] {
  const required = schema?.["required"];
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
