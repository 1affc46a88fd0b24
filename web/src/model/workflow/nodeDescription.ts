/** A node described in one line, for screen readers. */

import type { NodeView } from "../layout/canvasMapping";
import type { Workflow } from "./workflow";
import { OUTPUT_PORT, nodeTitle } from "./workflow";

export interface NodeSituation {
  /** The status in the run that is shown. */
  state: string | null;
  /** A warning about its tool, if there is one. */
  fit?: string | undefined;
  isPinned?: boolean;
  errors: number;
  warnings: number;
  isSelected: boolean;
  leadsTo: readonly string[];
}

export function describeNode(
  { title, kind, server, isDisabled, outputs }: NodeView,
  { state, fit, isPinned, errors, warnings, isSelected, leadsTo }: NodeSituation,
): string {
  const parts = [
    title,
    server === null
      ? kind === title
        ? ""
        : kind
      : `MCP tool ${kind} of ${server ? `server ${server}` : "no server"}`,
    isSelected ? "selected" : "",
    isDisabled ? "disabled" : "",
    isPinned ? "output pinned" : "",
    state ?? "",
    fit ?? "",
    errors ? pluralize(errors, "problem") : "",
    warnings ? pluralize(warnings, "warning") : "",
    leadsTo.length
      ? `connected to ${leadsTo.join(" and ")}`
      : outputs.length
        ? "not connected to a next node"
        : "",
  ];
  return parts.filter(Boolean).join(", ");
}

function pluralize(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

const cache = new WeakMap<Workflow, ReadonlyMap<string, readonly string[]>>();
const NO_TARGETS: readonly string[] = [];

/** The titles of the successors of a node; computed once per workflow. */
export function targetTitles(workflow: Workflow | null, id: string): readonly string[] {
  if (!workflow) return NO_TARGETS;
  const cached = cache.get(workflow) ?? titlesByNode(workflow);
  cache.set(workflow, cached);
  return cached.get(id) ?? NO_TARGETS;
}

function titlesByNode(workflow: Workflow): ReadonlyMap<string, readonly string[]> {
  const titles = new Map(workflow.nodes.map((node) => [node.id, nodeTitle(node)]));
  const titlesOf = new Map<string, string[]>();
  for (const { from, to } of workflow.connections)
    titlesOf.set(from, [...(titlesOf.get(from) ?? []), titles.get(to) ?? to]);
  return titlesOf;
}

const portCache = new WeakMap<Workflow["connections"], ReadonlySet<string>>();

/** The output ports that have a connection, as `node port`; computed once per list of connections. */
export function connectedPorts({ connections }: Workflow): ReadonlySet<string> {
  const cached =
    portCache.get(connections) ??
    new Set(connections.map(({ from, fromPort }) => `${from} ${fromPort ?? OUTPUT_PORT}`));
  portCache.set(connections, cached);
  return cached;
}
