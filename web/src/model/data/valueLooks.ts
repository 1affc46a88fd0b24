/** The views of a value. */

import { toolResultText } from "../text/formatValue";

export type ValueLook = "text" | "tree" | "table" | "json";

export const LOOK_TITLES: Readonly<Record<ValueLook, string>> = {
  text: "Text",
  table: "Table",
  tree: "Tree",
  json: "JSON",
};
const ORDER: readonly ValueLook[] = ["text", "table", "tree", "json"];
export const NO_LOOKS: readonly ValueLook[] = [];

export function byOrder(a: ValueLook, b: ValueLook): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b);
}

/** The views of a value, the most suitable one first; a plain value has none. */
export function looksOf(value: unknown): readonly ValueLook[] {
  if (typeof value !== "object" || value === null) return NO_LOOKS;
  if (toolResultText(value) !== null) return ["text", "table", "tree", "json"];
  // A list of objects, also as the only field of a result: a table must not hide other fields.
  const [only, ...others] = Array.isArray(value) ? [value as unknown] : (Object.values(value) as unknown[]);
  const items: unknown[] = Array.isArray(only) && others.length === 0 ? only : [];
  const isTable = items.length > 0 && items.every((item) => typeof item === "object" && item !== null);
  return isTable ? ["table", "tree", "json"] : ["json", "table", "tree"];
}
