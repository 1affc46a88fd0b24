/** A node in one line, for those who hear the canvas. */

import type { NodeView } from "../layout/canvasMapping";
import type { Workflow } from "./workflow";
import { titleOf } from "./workflow";

export interface Standing {
  /** How it stands in the run that is shown, in words. */
  state: string | null;
  /** How it stands with its server, where that is worth a word. */
  fit?: string | undefined;
  errors: number;
  warnings: number;
  isSelected: boolean;
  leadsTo: readonly string[];
}

export function nodeWords({ title, kind, server, isOff, outputs }: NodeView, { state, fit, errors, warnings, isSelected, leadsTo }: Standing): string {
  const parts = [
    title,
    server === null ? (kind === title ? "" : kind) : `MCP tool ${kind} of ${server ? `server ${server}` : "no server"}`,
    isSelected ? "selected" : "",
    isOff ? "switched off" : "",
    state ?? "",
    fit ?? "",
    errors ? counted(errors, "problem") : "",
    warnings ? counted(warnings, "warning") : "",
    leadsTo.length ? `leads to ${leadsTo.join(" and ")}` : outputs.length ? "leads nowhere" : "",
  ];
  return parts.filter(Boolean).join(", ");
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

const known = new WeakMap<Workflow, ReadonlyMap<string, readonly string[]>>();
const NOWHERE: readonly string[] = [];

/** The titles of the nodes that one leads to; worked out once for a workflow. */
export function leadsTo(workflow: Workflow | null, id: string): readonly string[] {
  if (!workflow) return NOWHERE;
  const made = known.get(workflow) ?? targets(workflow);
  known.set(workflow, made);
  return made.get(id) ?? NOWHERE;
}

function targets(workflow: Workflow): ReadonlyMap<string, readonly string[]> {
  const titles = new Map(workflow.nodes.map((node) => [node.id, titleOf(node)]));
  const found = new Map<string, string[]>();
  for (const { from, to } of workflow.connections) found.set(from, [...(found.get(from) ?? []), titles.get(to) ?? to]);
  return found;
}
