/** An object as rows of a key and a value. */

import type { Json, JsonObject } from "../workflow/workflow";

export interface MapRow {
  key: string;
  value: Json;
}

export function rowsOf(value: JsonObject): MapRow[] {
  return Object.entries(value).map(([key, item]) => ({ key, value: item }));
}

/** The object of rows; of equal keys the last one counts, and rows without a key are left out. */
export function objectOf(rows: readonly MapRow[]): JsonObject {
  return Object.fromEntries(rows.filter(({ key }) => key !== "").map(({ key, value }) => [key, value]));
}

/** What a row cannot keep: an empty key or one that another row has. */
export function rowFault(rows: readonly MapRow[], at: number): string | null {
  const { key, value } = rows[at]!;
  if (key === "") return value === "" ? null : "Enter a name";
  return rows.some((row, index) => index !== at && row.key === key) ? "This name is used twice" : null;
}

/** A text is shown as it is, everything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was typed: JSON where the value was no text before, else a text. */
export function typedValue(before: Json, text: string): Json {
  if (typeof before === "string") return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
