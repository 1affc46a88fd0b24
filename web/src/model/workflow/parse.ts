/** Parses the JSON of a workflow as far as the canvas needs it; the service validates the rest. */

import type { Workflow } from "./workflow";

export interface ParsedWorkflow {
  workflow: Workflow | null;
  fault: string | null;
  /** The offset of the error in the text, if it is known. */
  at: number | null;
}

export function parseWorkflow(text: string): ParsedWorkflow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unreadable(text, (error as Error).message);
  }
  if (!isObject(value)) return rejected("a workflow is an object");
  const { nodes, connections } = value;
  if (!Array.isArray(nodes)) return rejected("`nodes` must be a list");
  if (!Array.isArray(connections)) return rejected("`connections` must be a list");
  const badNode = nodes.findIndex(
    (node) => !isObject(node) || !isText(node["id"]) || !isText(node["type"]) || !isObject(node["data"]),
  );
  if (badNode >= 0)
    return rejected(`node ${badNode} needs an id, a type and data`, itemAt(text, "nodes", badNode));
  const unplaced = nodes.findIndex((node: Record<string, unknown>) => !isPosition(node["position"]));
  if (unplaced >= 0)
    return rejected(
      `node ${unplaced} needs a position of two numbers, x and y`,
      itemAt(text, "nodes", unplaced),
    );
  const badEdge = connections.findIndex(
    (edge) => !isObject(edge) || !isText(edge["id"]) || !isText(edge["from"]) || !isText(edge["to"]),
  );
  if (badEdge >= 0)
    return rejected(`connection ${badEdge} needs an id, from and to`, itemAt(text, "connections", badEdge));
  if (!isText(value["name"])) return rejected("`name` is missing");
  return { workflow: value as unknown as Workflow, fault: null, at: null };
}

function rejected(fault: string, at: number | null = null): ParsedWorkflow {
  return { workflow: null, fault: `The canvas is unchanged: ${fault}`, at };
}

/** Browsers report an offset, or a line and a column; a missing end is reported at the end. */
function unreadable(text: string, message: string): ParsedWorkflow {
  const position = /at position (\d+)/.exec(message);
  const place = /line (\d+) column (\d+)/.exec(message);
  const at = position
    ? Number(position[1])
    : place
      ? offsetOf(text, Number(place[1]), Number(place[2]))
      : text.length;
  const { line, column } = lineAndColumn(text, at);
  const reason = message.replace(/,? ?(in JSON )?at (position|line) .*$/, "").replace(/^JSON\.parse: /, "");
  return rejected(`line ${line}, column ${column}: ${reason}`, Math.min(at, text.length));
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** The offset of a list item in the text; brackets within strings are skipped. */
function itemAt(text: string, list: string, wantedIndex: number): number | null {
  const warnings = /"(?:[^"\\]|\\.)*"|[[\]{},]/g;
  let [depth, item, isThere, named] = [0, 0, false, ""];
  for (let match = warnings.exec(text); match; match = warnings.exec(text)) {
    const mark = match[0];
    if (mark === "]" || mark === "}") depth -= 1;
    if (isThere && depth === 1) return null;
    if (isThere && depth === 2 && item === wantedIndex && mark !== "," && mark !== "]" && mark !== "}")
      return match.index;
    if (mark === "," && isThere && depth === 2) item += 1;
    if (mark === "[" && depth === 1 && named === `"${list}"`) isThere = true;
    if (mark === "[" || mark === "{") depth += 1;
    if (mark.startsWith('"') && depth === 1) named = mark;
  }
  return null;
}

function isPosition(position: unknown): boolean {
  return (
    position === undefined ||
    (isObject(position) && Number.isFinite(position["x"]) && Number.isFinite(position["y"]))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
