/** The form of any object schema: flat fields, and JSON for what is nested. */

import { fieldLabel } from "../text/fieldLabel";
import type { Json, JsonObject } from "../workflow/workflow";
import type { AnswerField, AnswerValues } from "./answerForm";
import { answerFields, parseAnswer } from "./answerForm";

/** The fields of a schema; a field of any type is typed as text. */
export function schemaFields(schema: JsonObject): AnswerField[] {
  const properties = asObject(schema["properties"]);
  const simple = Object.entries(properties).map(([name, property]) => [name, simplified(asObject(property))]);
  const fields = answerFields({ ...schema, properties: Object.fromEntries(simple) as JsonObject });
  return fields.map((field) =>
    field.title === field.name ? { ...field, title: fieldLabel(field.name) } : field,
  );
}

const ANY_TEXT = { type: "string" };

function simplified(schema: JsonObject): JsonObject {
  if (Array.isArray(schema["enum"])) return schema;
  const types = typesOf(schema);
  const { anyOf: _, oneOf: __, ...rest } = schema;
  if (types.length === 0 && !("$ref" in schema)) return { ...rest, ...ANY_TEXT };
  const [only, ...others] = types.filter((type) => type !== "null");
  if (only !== undefined && others.length === 0) return { ...schema, type: only };
  return types.includes("string") ? { ...rest, ...ANY_TEXT } : rest;
}

function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  const variants = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(variants) ? variants.flatMap((variant) => typesOf(asObject(variant))) : [];
}

/** What the form shows for given values, and for defaults where there is none. */
export function fieldValues(
  fields: readonly AnswerField[],
  schema: JsonObject,
  given: JsonObject,
): AnswerValues {
  const properties = asObject(schema["properties"]);
  const values: Record<string, AnswerValues[string]> = {};
  for (const field of fields) {
    const value = given[field.name] ?? asObject(properties[field.name])["default"];
    if (value !== undefined && value !== null) values[field.name] = shownValue(field, value);
  }
  return values;
}

function shownValue(field: AnswerField, value: Json): AnswerValues[string] {
  const indexOf = (wanted: Json) =>
    field.options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(wanted));
  if (field.kind === "boolean") return value === true;
  if (field.kind === "choice") return indexOf(value) < 0 ? "" : String(indexOf(value));
  if (field.kind === "several")
    return (Array.isArray(value) ? value : []).map(indexOf).filter((at) => at >= 0);
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface ParsedInputs {
  inputs: JsonObject;
  faults: Record<string, string>;
}

/** The inputs of a run; values that the schema does not declare are kept. */
export function parseInputs(
  fields: readonly AnswerField[],
  schema: JsonObject,
  values: AnswerValues,
  given: JsonObject,
): ParsedInputs {
  const { reply, faults } = parseAnswer(fields, values);
  const declared = asObject(schema["properties"]);
  const extra = Object.entries(given).filter(([name]) => !Object.hasOwn(declared, name));
  const inputs: JsonObject = { ...Object.fromEntries(extra), ...reply };
  for (const field of fields) {
    const value = inputs[field.name];
    const isUntouched = values[field.name] === undefined && !field.isRequired;
    if (isUntouched && (field.kind === "boolean" || field.kind === "several")) delete inputs[field.name];
    // A field of any type takes an object or a list as JSON.
    const property = asObject(declared[field.name]);
    if (typeof value === "string" && property["type"] !== "string" && /^\s*[[{]/.test(value))
      inputs[field.name] = parsedOr(value);
  }
  return { inputs, faults };
}

function parsedOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
