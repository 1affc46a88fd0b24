/** A value as a table: a row for each item of a list, a column for each field. */

import { escapeHidden } from "../text/formatValue";
import type { Json } from "../workflow/workflow";
import { jsonInText, summaryOf } from "./tree";

export interface Table {
  columns: string[];
  rows: string[][];
  hidden: number;
}

const MAX_ROWS = 200;
const MAX_COLUMNS = 30;
const ITEM = "Item";

/** The rows of a value: a list, the only list in an object, else the fields of an object. */
export function tableOf(value: Json): Table {
  const content = typeof value === "string" ? (jsonInText(value) ?? value) : value;
  if (Array.isArray(content)) return tableOfList(content);
  if (content === null || typeof content !== "object") return tableOfList([content]);
  const lists = Object.values(content).filter((part): part is Json[] => Array.isArray(part));
  if (lists.length === 1 && lists[0]!.some(isRecord)) return tableOfList(lists[0]!);
  const rows = Object.entries(content).map(([key, part]) => [escapeHidden(key), summaryOf(part)]);
  return {
    columns: ["Field", "Value"],
    rows: rows.slice(0, MAX_ROWS),
    hidden: Math.max(0, rows.length - MAX_ROWS),
  };
}

function tableOfList(list: readonly Json[]): Table {
  const shown = list.slice(0, MAX_ROWS);
  const keys = [...new Set(shown.flatMap((item) => (isRecord(item) ? Object.keys(item) : [])))];
  const columns = keys.slice(0, MAX_COLUMNS);
  const hasPlainItems = shown.some((item) => !isRecord(item));
  const rows = shown.map((item) => [
    ...(hasPlainItems ? [isRecord(item) ? "" : summaryOf(item)] : []),
    ...columns.map((key) => (isRecord(item) && key in item ? summaryOf(item[key]!) : "")),
  ]);
  return {
    columns: [...(hasPlainItems ? [ITEM] : []), ...columns.map(escapeHidden)],
    rows,
    hidden: Math.max(0, list.length - MAX_ROWS),
  };
}

function isRecord(value: Json): value is { [key: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
