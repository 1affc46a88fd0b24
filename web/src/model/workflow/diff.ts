/** The differences between two versions of a workflow, node by node. */

import type { Connection, Workflow, WorkflowNode } from "./workflow";
import { INPUT_PORT, nodeTitle, OUTPUT_PORT } from "./workflow";

export interface Difference {
  kind: "added" | "removed" | "changed";
  what: string;
  /** The ids of the changed node, or of both nodes of a connection. */
  nodes: string[];
  details: { field: string; mine: string; theirs: string }[];
}

const MAX_LENGTH = 300;

/** The changes that lead from `theirs` to `mine`. */
export function diffWorkflows(mine: Workflow, theirs: Workflow): Difference[] {
  return [
    ...diffNodes(mine.nodes, theirs.nodes),
    ...diffConnections(mine, theirs),
    ...diffMetadata(mine, theirs),
  ];
}

/** The same without where a node is on the canvas. */
export function diffContents(mine: Workflow, theirs: Workflow): Difference[] {
  return diffWorkflows(mine, theirs).flatMap((change) => {
    const details = change.details.filter(({ field }) => !LAYOUT_FIELDS.test(field));
    return change.kind === "changed" && details.length === 0 ? [] : [{ ...change, details }];
  });
}

const LAYOUT_FIELDS = /^(position|style|parentId)(\.|$)/;

function diffNodes(mine: WorkflowNode[], theirs: WorkflowNode[]): Difference[] {
  const [mineByKey, theirsByKey] = [byId(mine), byId(theirs)];
  const result: Difference[] = [];
  for (const node of mine) {
    const old = theirsByKey.get(node.id);
    const details = old ? diffFields(node as unknown as Fields, old as unknown as Fields) : [];
    if (!old) result.push({ kind: "added", ...described(node), details });
    else if (details.length) result.push({ kind: "changed", ...described(node), details });
  }
  for (const node of theirs)
    if (!mineByKey.has(node.id)) result.push({ kind: "removed", ...described(node), details: [] });
  return result;
}

function described(node: WorkflowNode): { what: string; nodes: string[] } {
  return { what: `node ${nodeTitle(node)}`, nodes: [node.id] };
}

function diffConnections(mine: Workflow, theirs: Workflow): Difference[] {
  const titles = new Map([...theirs.nodes, ...mine.nodes].map((node) => [node.id, nodeTitle(node)]));
  const spelt = ({ from, to, fromPort = OUTPUT_PORT, toPort = INPUT_PORT }: Connection) =>
    `${titles.get(from) ?? from}${fromPort === OUTPUT_PORT ? "" : ` (${fromPort})`} → ` +
    `${titles.get(to) ?? to}${toPort === INPUT_PORT ? "" : ` (${toPort})`}`;
  const missing = (all: Connection[], others: Connection[], kind: "added" | "removed"): Difference[] => {
    const known = new Set(others.map(spelt));
    const unknown = new Map(
      all.map((edge) => [spelt(edge), edge] as const).filter(([key]) => !known.has(key)),
    );
    return [...unknown].map(([key, { from, to }]) => ({
      kind,
      what: `connection ${key}`,
      nodes: [from, to],
      details: [],
    }));
  };
  return [
    ...missing(mine.connections, theirs.connections, "added"),
    ...missing(theirs.connections, mine.connections, "removed"),
  ];
}

function diffMetadata(mine: Workflow, theirs: Workflow): Difference[] {
  const rest = ({ nodes: _, connections: __, ...theirsByKey }: Workflow) => theirsByKey as unknown as Fields;
  const details = diffFields(rest(mine), rest(theirs)).filter(({ field }) => field !== "updatedAt");
  return details.length ? [{ kind: "changed", what: "the workflow itself", nodes: [], details }] : [];
}

type Fields = Record<string, unknown>;

function diffFields(mine: Fields, theirs: Fields, at = ""): Difference["details"] {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  return names.flatMap((name) => {
    const [mineByKey, theirsByKey] = [mine[name], theirs[name]];
    const field = at ? `${at}.${name}` : name;
    if (mineByKey === theirsByKey || JSON.stringify(mineByKey) === JSON.stringify(theirsByKey)) return [];
    const [left, right] = [mineByKey ?? {}, theirsByKey ?? {}];
    // An object that is missing has no fields.
    if (isFields(left) && isFields(right)) return diffFields(left, right, field);
    return [{ field, mine: formatField(mineByKey), theirs: formatField(theirsByKey) }];
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function formatField(value: unknown): string {
  const text = value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function byId<Item extends { id: string }>(items: Item[]): Map<string, Item> {
  return new Map(items.map((item) => [item.id, item]));
}
