/** Assigns problems to form fields: each to the innermost field that its pointer leads into. */

import type { Problem } from "../../api/client";
import { fieldLabel } from "../text/fieldLabel";
import { safeText } from "../text/untrusted";
import type { Json, JsonObject, Workflow } from "../workflow/workflow";
import type { Parameter } from "./parameters";
import { controlOf, entryParameter, itemParameter, propertiesOf } from "./parameters";
import type { Path } from "./values";
import { isExpression, isObject, pointerOf, valueAt, matchingVariant } from "./values";

/** An action of a service needs this value. */
const SERVICE_FIELD = "SERVICE_FIELD_MISSING";

/** Codes of values that are required and missing. */
export const MISSING_VALUE: ReadonlySet<string> = new Set([
  "MCP_PARAMETER_REQUIRED",
  "FIELD_REQUIRED",
  SERVICE_FIELD,
]);

/** A missing value is asked for; any other problem says what it found. */
export function problemText({ code, pointer, message }: Problem): string {
  const name = pointer.split("/").at(-1)!.replaceAll("~1", "/").replaceAll("~0", "~");
  return safeText(MISSING_VALUE.has(code) ? `Enter a value for ${fieldLabel(name)}` : message).text;
}

/** What to do; where a value has to be entered, that says it all. */
export function problemHint({ code, hint }: Problem): string | null {
  return code === SERVICE_FIELD ? null : (hint ?? null);
}

export interface PlacedProblems {
  byField: ReadonlyMap<string, readonly Problem[]>;
  /** Problems without a field. */
  rest: readonly Problem[];
}

export interface FormSection {
  path: Path;
  parameters: readonly Parameter[];
}

/** The pointers, within the node's data, of all fields that are shown. */
export function fieldPointers(sections: readonly FormSection[], data: JsonObject): Set<string> {
  const pointers = new Set<string>();
  for (const { path, parameters } of sections)
    for (const item of parameters)
      collectPointers(item, [...path, item.name], valueAt(data, [...path, item.name]), 0, pointers);
  return pointers;
}

function collectPointers(
  parameter: Parameter,
  path: Path,
  value: Json | undefined,
  depth: number,
  pointers: Set<string>,
): void {
  pointers.add(pointerOf(path));
  if (isExpression(value) || value === null) return;
  const control = controlOf(parameter, depth);
  if (control === "union") {
    const chosen = parameter.variants![matchingVariant(parameter, value)];
    if (chosen) collectPointers(chosen, path, value, depth + 1, pointers);
  } else if (control === "array" && Array.isArray(value)) {
    value.forEach((item, at) =>
      collectPointers(itemParameter(parameter, at), [...path, at], item, depth + 1, pointers),
    );
  } else if (control === "object") {
    const object = isObject(value) ? value : {};
    for (const item of propertiesOf(parameter))
      collectPointers(item, [...path, item.name], valueAt(object, [item.name]), depth + 1, pointers);
    for (const key of additionalKeys(parameter, object))
      collectPointers(entryParameter(parameter, key)!, [...path, key], object[key], depth + 1, pointers);
  }
}

/** Keys of an object that the schema allows without declaring them. */
export function additionalKeys(parameter: Parameter, value: JsonObject): string[] {
  if (entryParameter(parameter, "") === null) return [];
  return Object.keys(value).filter((key) => !Object.hasOwn(parameter.properties ?? {}, key));
}

export function placeProblems(problems: readonly Problem[], fields: ReadonlySet<string>): PlacedProblems {
  const byField = new Map<string, Problem[]>();
  const rest: Problem[] = [];
  for (const problem of problems) {
    const at = innermost(problem.pointer, fields);
    if (at === null) rest.push(problem);
    else byField.set(at, [...(byField.get(at) ?? []), problem]);
  }
  return { byField, rest };
}

function innermost(pointer: string, fields: ReadonlySet<string>): string | null {
  let inside = pointer.replace(/^\/nodes\/\d+\/data(?=\/|$)/, "");
  if (inside === pointer) return null;
  while (inside) {
    if (fields.has(inside)) return inside;
    inside = inside.slice(0, inside.lastIndexOf("/"));
  }
  return null;
}

/** The problems of values that did not change since they were validated; the others are checked again soon. */
export function currentProblems(
  problems: readonly Problem[],
  validated: JsonObject | undefined,
  data: JsonObject,
): readonly Problem[] {
  if (!validated || validated === data) return problems;
  return problems.filter(({ pointer }) => {
    const inside = /^\/nodes\/\d+\/data(\/.+)$/.exec(pointer)?.[1];
    return inside === undefined || textAt(validated, inside) === textAt(data, inside);
  });
}

function textAt(data: JsonObject, pointer: string): string | undefined {
  let value: unknown = data;
  for (const part of pointerParts(pointer)) value = own(value, part);
  return JSON.stringify(value);
}

function pointerParts(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function own(value: unknown, key: string): unknown {
  const isContainer = typeof value === "object" && value !== null;
  return isContainer && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

const VALUE_POINTER = /^\/nodes\/\d+\/data\/(parameterValues|configurations|inputParams)\/./;

/** Whether a problem is about a description, or about a value that is present, not a missing one. */
export function isInvalidValue(workflow: Workflow, { code, severity, pointer }: Problem): boolean {
  if (code.startsWith("MCP_NL_DESC_")) return true;
  if (severity !== "error" || !VALUE_POINTER.test(pointer)) return false;
  let value: unknown = workflow;
  for (const part of pointerParts(pointer)) value = own(value, part);
  return value !== undefined;
}
