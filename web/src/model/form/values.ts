/** Reads, writes, initializes and validates values within a node's data. Values are immutable. */

import type { Json, JsonObject } from "../workflow/workflow";
import type { Parameter } from "./parameters";
import { controlOf, propertiesOf } from "./parameters";

export type Path = readonly (string | number)[];

/** A JSON pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let current = value;
  for (const part of path) {
    if (Array.isArray(current) && typeof part === "number") current = current[part];
    else if (isObject(current) && typeof part === "string")
      current = Object.hasOwn(current, part) ? current[part] : undefined;
    else return undefined;
  }
  return current;
}

/** Sets the value at a path and creates missing parents; `undefined` removes it. */
export function setAt<Value extends Json>(
  value: Value | undefined,
  path: Path,
  newValue: Json | undefined,
): Value {
  return withValueAt(value, path, newValue) as Value;
}

function withValueAt(value: Json | undefined, path: Path, newValue: Json | undefined): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return newValue;
  if (typeof part === "number") return withItemAt(Array.isArray(value) ? value : [], part, rest, newValue);
  const before = isObject(value) ? value : {};
  const oldValue = Object.hasOwn(before, part) ? before[part] : undefined;
  if (newValue === undefined && oldValue === undefined) return value;
  const after = withValueAt(oldValue, rest, newValue);
  const entries = Object.entries(before);
  if (after === undefined) return Object.fromEntries(entries.filter(([key]) => key !== part));
  // `fromEntries` creates an own property even for `__proto__`, an assignment would not.
  if (oldValue === undefined) return Object.fromEntries([...entries, [part, after]]);
  return Object.fromEntries(entries.map(([key, property]) => [key, key === part ? after : property]));
}

function withItemAt(list: Json[], at: number, rest: Path, newValue: Json | undefined): Json[] {
  const after = withValueAt(list[at], rest, newValue);
  if (after === undefined) return list.filter((_, index) => index !== at);
  return at < list.length
    ? list.map((property, index) => (index === at ? after : property))
    : [...list, after];
}

/** Renames a key in place; does nothing if the new name is taken. */
export function renameKey(value: JsonObject, from: string, to: string): JsonObject {
  if (from === to || Object.hasOwn(value, to)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, property]) => [key === from ? to : key, property]),
  );
}

/** A key that an object does not have yet. */
export function unusedKey(value: JsonObject): string {
  for (let number = 1; ; number += 1) if (!Object.hasOwn(value, `key${number}`)) return `key${number}`;
}

/** Whether a value is computed when the node runs. */
export function isExpression(value: Json | undefined): value is string {
  return typeof value === "string" && value.includes("{{");
}

/** The initial value of a new item, entry or alternative. */
export function initialValue(parameter: Parameter, depth = 0): Json {
  if (parameter.default !== undefined) return parameter.default;
  const control = controlOf(parameter, depth);
  if (control === "constant" || control === "enum") return parameter.validation?.enum?.[0] ?? null;
  if (control === "text") return "";
  if (control === "number") return parameter.validation?.minimum ?? 0;
  if (control === "boolean") return false;
  if (control === "array") return [];
  if (control === "union") return initialValue(parameter.variants![0]!, depth + 1);
  if (control === "object") return initialObject(parameter);
  return parameter.type === "object" && parameter.kind === undefined ? {} : null;
}

/** Only constants: the user sets the rest. */
function initialObject(parameter: Parameter): JsonObject {
  const fixed = propertiesOf(parameter).filter(
    (property) => controlOf(property) === "constant" && property.required,
  );
  return Object.fromEntries(fixed.map((property) => [property.name, property.validation!.enum![0]!]));
}

/** The index of the union alternative that a value matches; -1 for none. */
export function matchingVariant(parameter: Parameter, value: Json | undefined): number {
  const variants = parameter.variants ?? [];
  if (value === undefined) return -1;
  const { discriminator } = parameter;
  if (discriminator !== undefined && isObject(value)) {
    const tag = value[discriminator];
    const at = variants.findIndex((variant) =>
      variant.properties?.[discriminator]?.validation?.enum?.some((option) => option === tag),
    );
    if (at >= 0) return at;
  }
  const scored = variants.map((variant) => matchScore(variant, value));
  const best = Math.max(...scored);
  return best > 0 ? scored.indexOf(best) : -1;
}

function matchScore(parameter: Parameter, value: Json): number {
  const options = parameter.validation?.enum;
  if (options) return options.some((option) => JSON.stringify(option) === JSON.stringify(value)) ? 9 : 0;
  if (parameter.kind === "union")
    return Math.max(0, ...(parameter.variants ?? []).map((variant) => matchScore(variant, value)));
  if (parameter.kind === "any") return 1;
  if (parameter.kind === "null" || value === null)
    return value === null && (parameter.kind === "null" || parameter.nullable) ? 9 : 0;
  if (parameter.type === "integer") return Number.isInteger(value) ? 6 : 0;
  if (Array.isArray(value)) return parameter.type === "array" ? 5 : 0;
  if (!isObject(value)) return typeof value === parameter.type ? 5 : 0;
  return parameter.type === "object" ? objectMatchScore(parameter, value) : 0;
}

function objectMatchScore(parameter: Parameter, value: JsonObject): number {
  const named = propertiesOf(parameter);
  if (
    named.some(
      (property) =>
        controlOf(property) === "constant" &&
        value[property.name] !== undefined &&
        value[property.name] !== property.validation!.enum![0],
    )
  )
    return 0;
  const presentCount = named.filter((property) => Object.hasOwn(value, property.name)).length;
  const missing = named.filter(
    (property) => property.required && !Object.hasOwn(value, property.name),
  ).length;
  return 2 + presentCount / (presentCount + missing + 1);
}

/** Parses a number, or returns why it is invalid; an empty text is no value. */
export function parseNumber(parameter: Parameter, typed: string): { value?: Json; fault?: string } {
  const text = typed.trim();
  if (text === "") return {};
  if (isExpression(text)) return { value: text };
  const number = Number(text);
  if (!/^[-+.\d]/.test(text) || !Number.isFinite(number)) return { fault: "a number is expected" };
  if (parameter.type === "integer" && !Number.isSafeInteger(number))
    return { fault: "a whole number is expected" };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = parameter.validation ?? {};
  if (minimum !== undefined && number < minimum) return { fault: `at least ${minimum} is expected` };
  if (maximum !== undefined && number > maximum) return { fault: `at most ${maximum} is expected` };
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum)
    return { fault: `more than ${exclusiveMinimum} is expected` };
  if (exclusiveMaximum !== undefined && number >= exclusiveMaximum)
    return { fault: `less than ${exclusiveMaximum} is expected` };
  return { value: number };
}

/** Parses JSON; an expression is valid for any type. */
export function parseJson(typed: string): { value?: Json; fault?: string } {
  const text = typed.trim();
  if (text === "") return {};
  if (text.startsWith("{{") && text.endsWith("}}")) return { value: text };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

export function formatJson(value: Json | undefined): string {
  if (value === undefined) return "";
  return isExpression(value) ? value : JSON.stringify(value, null, 2);
}
