/** Which node a validation problem belongs to, and in which order problems are listed. */

import type { Problem } from "../../api/client";
import type { Workflow } from "./workflow";

/** The node that a JSON pointer leads into; for a connection, the node it starts at. */
export function nodeAtPointer(workflow: Workflow, pointer: string): string | null {
  const node = /^\/nodes\/(\d+)(\/|$)/.exec(pointer);
  if (node) return workflow.nodes[Number(node[1])]?.id ?? null;
  const edge = /^\/connections\/(\d+)(\/|$)/.exec(pointer);
  return edge ? (workflow.connections[Number(edge[1])]?.from ?? null) : null;
}

/**
 * Whether somebody who edits the workflow has to do something: the description of a tool is its server's text,
 * and a natural name is a problem only in the files of other programs.
 */
export function isActionable({ code, pointer }: Problem, { name }: Pick<Workflow, "name">): boolean {
  if (code === "NODE_NAME_UNUSUAL") return false;
  if (code === "WORKFLOW_NAME_UNUSUAL" && pointer === "/name" && name.trim()) return false;
  return !(code === "TEXT_TOO_LONG" && pointer.endsWith("/data/toolDescription"));
}

/** Errors before warnings, then in the order of the nodes; the rest comes last. */
export function sortProblems(workflow: Workflow, problems: readonly Problem[]): Problem[] {
  const places = new Map(workflow.nodes.map(({ id }, index) => [id, index]));
  const placeOf = ({ pointer }: Problem) => {
    const node = nodeAtPointer(workflow, pointer);
    return node === null ? Infinity : places.get(node)!;
  };
  const rank = ({ severity }: Problem) => (severity === "error" ? 0 : 1);
  return problems
    .map((problem) => ({ problem, place: placeOf(problem) }))
    .sort((a, b) => rank(a.problem) - rank(b.problem) || compare(a.place, b.place))
    .map(({ problem }) => problem);
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
