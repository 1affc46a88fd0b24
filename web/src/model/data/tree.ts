/** What a node can read, as a tree: from the values of a run, else from what schemas declare. */

import type { Schemas } from "../../api/client";
import type { Offer } from "../form/completion";
import { escapeHidden } from "../text/formatValue";
import type { Json } from "../workflow/workflow";

export type Source = Schemas["NodeSourceResponse"];

export interface DataItem {
  /** The expression that reads the value; no two items have the same. */
  path: string;
  label: string;
  kind: string;
  /** The value in a few characters; for containers, how much they contain. */
  summary: string;
  /** Whether the text of this value is JSON, whose parts are its children. */
  isJsonText?: boolean;
  /** How many further children are not listed. */
  hidden?: number;
  children: () => DataItem[];
}

const MAX_CHILDREN = 100;
const MAX_SUMMARY = 80;
const KEYWORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);
const NAME = /^[A-Za-z_]\w*$/;

/** The path of a part of a value, as an expression: `data.items[0]['a-b']`. */
export function childPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`;
  return NAME.test(key) && !KEYWORDS.has(key) ? `${parent}.${key}` : `${parent}[${quoted(key)}]`;
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("'", "\\'")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r");
  return `'${escaped}'`;
}

export function kindOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A value and what is in it. */
export function valueItem(path: string, label: string, value: Json): DataItem {
  const inText = typeof value === "string" ? jsonInText(value) : undefined;
  return {
    path,
    label: escapeHidden(label),
    kind: kindOf(value),
    summary: summaryOf(value),
    ...(inText === undefined ? {} : { isJsonText: true }),
    hidden: Math.max(0, sizeOf(inText ?? value) - MAX_CHILDREN),
    children: once(() => partsOf(inText === undefined ? path : `${path}.parseJson()`, inText ?? value)),
  };
}

/** Computes the children when they are first needed, because most of a large value is never opened. */
function once(compute: () => DataItem[]): () => DataItem[] {
  let found: DataItem[] | null = null;
  return () => (found ??= compute());
}

function partsOf(path: string, value: Json): DataItem[] {
  if (Array.isArray(value))
    return value
      .slice(0, MAX_CHILDREN)
      .map((item, index) => valueItem(childPath(path, index), `[${index}]`, item));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value)
    .slice(0, MAX_CHILDREN)
    .map(([key, part]) => valueItem(childPath(path, key), key, part));
}

function sizeOf(value: Json): number {
  if (value === null || typeof value !== "object") return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The object or list that a text contains as JSON; undefined for any other text. */
export function jsonInText(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return sizeOf(value) > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

export function summaryOf(value: Json): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  if (value !== null && typeof value === "object") {
    const count = Object.keys(value).length;
    return count === 1 ? "1 field" : `${count} fields`;
  }
  const text = escapeHidden(typeof value === "string" ? value.replaceAll(/\s+/g, " ") : String(value));
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)}…` : text;
}

/** One item for each source; without a value, its children are the paths that schemas declare. */
export function sourceItems(sources: readonly Source[], offers: readonly Offer[]): DataItem[] {
  const declared = childrenByPath(offers);
  return sources.map((source) => {
    const label = labelOf(source);
    if (source.hasValue) return valueItem(source.path, label, source.value as Json);
    return declaredItem(source.path, label, source.kind, declared);
  });
}

/** An empty value with the fields that an item declares, to be filled in. */
export function sampleOf(item: DataItem): Json {
  const parts = item.children();
  if (item.kind === "array") return parts.slice(0, 1).map(sampleOf);
  if (item.kind === "object" || parts.length > 0)
    return Object.fromEntries(parts.map((part) => [part.label, sampleOf(part)]));
  return item.kind in EMPTY ? EMPTY[item.kind]! : "";
}

const EMPTY: Readonly<Record<string, Json>> = { number: 0, integer: 0, boolean: false, null: null };

/** Whether a node contains an expression that reads its input. */
export function readsInput(settings: Json): boolean {
  return /\bdata\b(?!["'])/.test(JSON.stringify(settings));
}

const LABELS: Readonly<Record<string, string>> = {
  data: "Input",
  trigger: "Run input",
  loop: "Loop",
  run: "Run",
};

function labelOf({ path, about }: Source): string {
  return escapeHidden(LABELS[path] ?? about.replace(/^the output of /, ""));
}

type Declared = ReadonlyMap<string, readonly Offer[]>;

function declaredItem(path: string, label: string, kind: string, declared: Declared): DataItem {
  const parts = declared.get(path) ?? [];
  return {
    path,
    label,
    kind,
    summary: "",
    children: once(() =>
      parts.map((offer) =>
        declaredItem(offer.path, escapeHidden(lastStep(offer.path)), offer.kind, declared),
      ),
    ),
  };
}

const LAST_STEP = /(?:\.(\w+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\])$/;

function lastStep(path: string): string {
  const [, name, index, key] = LAST_STEP.exec(path) ?? [];
  return index !== undefined ? `[${index}]` : (name ?? key ?? path);
}

function childrenByPath(offers: readonly Offer[]): Declared {
  const found = new Map<string, Offer[]>();
  for (const offer of offers) {
    const parent = offer.path.replace(LAST_STEP, "");
    if (parent === offer.path) continue;
    const siblings = found.get(parent);
    if (siblings) siblings.push(offer);
    else found.set(parent, [offer]);
  }
  return found;
}

/** The items whose path or summary contains a text, with the items that lead to them. */
export function matchingPaths(items: readonly DataItem[], text: string, depth = 0): Set<string> {
  const found = new Set<string>();
  const wanted = text.toLowerCase();
  if (depth > 6) return found;
  for (const item of items) {
    const below = matchingPaths(item.children(), text, depth + 1);
    const isMatch = `${item.label} ${item.summary}`.toLowerCase().includes(wanted);
    if (below.size > 0 || isMatch) found.add(item.path);
    for (const path of below) found.add(path);
  }
  return found;
}

/** Parts of a request that are seldom wanted: what it carries is its body. */
const REQUEST_DETAILS: ReadonlySet<string> = new Set(["headers", "query_params"]);
const MAX_OPEN = 3;

/** The items that are open at first: the input and the objects in it; of a request, what its body contains. */
export function initiallyOpen([first]: readonly DataItem[]): ReadonlySet<string> {
  if (!first) return new Set();
  const parts = objectsIn(first);
  const isRequest = parts.some(({ label }) => label === "body");
  const open = parts.filter(({ label }) => !(isRequest && REQUEST_DETAILS.has(label))).slice(0, MAX_OPEN);
  const inner = isRequest ? open.flatMap(objectsIn).slice(0, MAX_OPEN) : [];
  return new Set([first, ...open, ...inner].map(({ path }) => path));
}

function objectsIn(item: DataItem): DataItem[] {
  return item.children().filter(({ kind }) => kind === "object");
}
