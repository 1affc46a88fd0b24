/** The validation problems of one workflow, by node, as the service last reported them. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { Problem } from "../api/client";
import { isActionable, nodeAtPointer } from "../model/workflow/problems";
import type { Workflow } from "../model/workflow/workflow";

export interface ProblemState {
  all: readonly Problem[];
  /** The version that the problems are about. */
  validated: Workflow | null;
  byNode: Readonly<Record<string, readonly Problem[]>>;
  /** Whether the tool of each MCP node matches what its server offers, as far as it was checked. */
  toolStatuses: Readonly<Record<string, ToolStatus>>;
  isChecking: boolean;
  /** Why the current workflow could not be validated. */
  fault: string | null;
}

/** `valid`, `missing` (no such server), `disconnected` or `invalid`, and the reason. */
export interface ToolStatus {
  status: string;
  why: string;
}

const NO_PROBLEMS: ProblemState = {
  all: [],
  validated: null,
  byNode: {},
  toolStatuses: {},
  isChecking: false,
  fault: null,
};

export class WorkflowProblems {
  readonly store: StoreApi<ProblemState> = createStore(() => NO_PROBLEMS);

  /** Sets the problems of a workflow; their pointers refer to the version that was validated. */
  set(workflow: Workflow, reported: readonly Problem[]): void {
    // A new workflow has nothing to connect yet.
    const isBegun = workflow.nodes.some(({ type }) => type !== "start" && type !== "end");
    const problems = reported.filter(
      (problem) => isActionable(problem, workflow) && (isBegun || isError(problem)),
    );
    const byNode: Record<string, Problem[]> = {};
    for (const problem of problems) {
      const id = nodeAtPointer(workflow, problem.pointer);
      if (id !== null) (byNode[id] ??= []).push(problem);
    }
    const known = this.store.getState().byNode;
    this.store.setState({
      all: problems,
      validated: workflow,
      byNode: reuseUnchanged(known, byNode),
      isChecking: false,
      fault: null,
    });
  }
}

const isError = ({ severity }: Problem) => severity === "error";

/** A node whose problems are the same keeps its list, so that it is not rendered again. */
function reuseUnchanged(
  known: ProblemState["byNode"],
  current: Record<string, Problem[]>,
): ProblemState["byNode"] {
  return Object.fromEntries(
    Object.entries(current).map(([id, list]) => {
      const old = known[id];
      return [id, old && hasSameProblems(old, list) ? old : list];
    }),
  );
}

function hasSameProblems(a: readonly Problem[], b: readonly Problem[]): boolean {
  return (
    a.length === b.length &&
    a.every((problem, index) => problem.code === b[index]!.code && problem.message === b[index]!.message)
  );
}
