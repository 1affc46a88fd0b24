/** What is wrong with the open workflow, by node, as the service last said. */

import { createStore } from "zustand/vanilla";
import type { Problem } from "../api/client";
import { nodeAtPointer } from "../model/workflow/problems";
import type { Workflow } from "../model/workflow/workflow";

export interface ProblemState {
  all: readonly Problem[];
  byNode: Readonly<Record<string, readonly Problem[]>>;
  /** How MCP nodes stand with their server, where it was asked. */
  toolStatuses: Readonly<Record<string, ToolStatus>>;
  isChecking: boolean;
  /** Why nothing can be said about the workflow as it is now. */
  fault: string | null;
}

/** Seed 001's valid, missing or invalid, and why it is not better. */
export interface ToolStatus {
  status: string;
  why: string;
}

const NO_PROBLEMS: ProblemState = { all: [], byNode: {}, toolStatuses: {}, isChecking: false, fault: null };

export const problemStore = createStore<ProblemState>(() => NO_PROBLEMS);

export function clearProblems(): void {
  problemStore.setState(NO_PROBLEMS);
}

/** Takes the problems of a workflow; pointers are those of the workflow that was checked. */
export function setProblems(workflow: Workflow, problems: readonly Problem[]): void {
  const byNode: Record<string, Problem[]> = {};
  for (const problem of problems) {
    const id = nodeAtPointer(workflow, problem.pointer);
    if (id !== null) (byNode[id] ??= []).push(problem);
  }
  problemStore.setState({ all: problems, byNode: reuseUnchanged(byNode), isChecking: false, fault: null });
}

/** A node whose problems did not change keeps its list, so that nothing is drawn again. */
function reuseUnchanged(found: Record<string, Problem[]>): Record<string, readonly Problem[]> {
  const before = problemStore.getState().byNode;
  return Object.fromEntries(
    Object.entries(found).map(([id, list]) => {
      const old = before[id];
      return [id, old && hasSameProblems(old, list) ? old : list];
    }),
  );
}

function hasSameProblems(one: readonly Problem[], other: readonly Problem[]): boolean {
  return (
    one.length === other.length &&
    one.every((problem, at) => problem.code === other[at]!.code && problem.message === other[at]!.message)
  );
}
