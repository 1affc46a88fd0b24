/** What a node gave in a run: how many items, and how long it took. */

import type { RunView, Step } from "./runState";
import { durationMs } from "./runState";

/** The number of items that a node passed on: the length of lists, one for any other value. */
export function outputItems(run: RunView | null, node: string): number {
  return stepsOf(run, node)
    .filter(({ status }) => status === "success")
    .reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 1), 0);
}

/** The time of all steps of a node together; null while one is running. */
export function nodeDurationMs(run: RunView | null, node: string): number | null {
  const steps = stepsOf(run, node);
  if (steps.length === 0 || steps.some(({ finishedAt }) => finishedAt === null)) return null;
  return steps.reduce((sum, { startedAt, finishedAt }) => sum + durationMs(startedAt, finishedAt), 0);
}

/** The message of the last attempt of a node that failed. */
export function nodeError(run: RunView | null, node: string): string | null {
  const failed = stepsOf(run, node).findLast(({ status }) => status === "failed");
  return failed?.attempts.at(-1)?.error?.message ?? null;
}

function stepsOf(run: RunView | null, node: string): Step[] {
  return (run?.stepsOfNode[node] ?? []).map((key) => run!.steps[key]!);
}
