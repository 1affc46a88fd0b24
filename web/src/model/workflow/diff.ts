/** What differs between two versions of a workflow, node by node, in words. */

import type { Connection, Workflow, WorkflowNode } from "./workflow";
import { titleOf } from "./workflow";

export interface Difference {
  kind: "added" | "removed" | "changed";
  what: string;
  details: { field: string; mine: string; theirs: string }[];
}

const LONGEST = 300;

/** How to get from `theirs` to `mine`. */
export function differences(mine: Workflow, theirs: Workflow): Difference[] {
  return [...ofNodes(mine.nodes, theirs.nodes), ...ofConnections(mine, theirs), ...ofRest(mine, theirs)];
}

function ofNodes(mine: WorkflowNode[], theirs: WorkflowNode[]): Difference[] {
  const [own, other] = [byId(mine), byId(theirs)];
  const found: Difference[] = [];
  for (const node of mine) {
    const old = other.get(node.id);
    if (!old) found.push({ kind: "added", what: `node ${titleOf(node)}`, details: [] });
    else {
      const details = fields(node as unknown as Fields, old as unknown as Fields);
      if (details.length) found.push({ kind: "changed", what: `node ${titleOf(node)}`, details });
    }
  }
  for (const node of theirs) if (!own.has(node.id)) found.push({ kind: "removed", what: `node ${titleOf(node)}`, details: [] });
  return found;
}

function ofConnections(mine: Workflow, theirs: Workflow): Difference[] {
  const spelt = (one: Connection) => `${one.from}.${one.fromPort ?? "output"} → ${one.to}.${one.toPort ?? "input"}`;
  const own = new Set(mine.connections.map(spelt));
  const other = new Set(theirs.connections.map(spelt));
  return [
    ...[...own].filter((one) => !other.has(one)).map((one) => ({ kind: "added" as const, what: `connection ${one}`, details: [] })),
    ...[...other].filter((one) => !own.has(one)).map((one) => ({ kind: "removed" as const, what: `connection ${one}`, details: [] })),
  ];
}

function ofRest(mine: Workflow, theirs: Workflow): Difference[] {
  const rest = ({ nodes: _, connections: __, ...other }: Workflow) => other as unknown as Fields;
  const details = fields(rest(mine), rest(theirs)).filter(({ field }) => field !== "updatedAt");
  return details.length ? [{ kind: "changed", what: "the workflow itself", details }] : [];
}

type Fields = Record<string, unknown>;

function fields(mine: Fields, theirs: Fields, at = ""): Difference["details"] {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  return names.flatMap((name) => {
    const [own, other] = [mine[name], theirs[name]];
    const field = at ? `${at}.${name}` : name;
    if (own === other || JSON.stringify(own) === JSON.stringify(other)) return [];
    if (isFields(own) && isFields(other)) return fields(own, other, field);
    return [{ field, mine: shown(own), theirs: shown(other) }];
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function byId<Item extends { id: string }>(items: Item[]): Map<string, Item> {
  return new Map(items.map((item) => [item.id, item]));
}
