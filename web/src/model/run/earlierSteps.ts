/** What was known when a step of a run started. */

import type { RunView, Step } from "./runState";

/** The steps that were done when a step started, latest first. */
export function earlierSteps(run: RunView, step: Step): Step[] {
  const before = run.order.slice(0, run.order.indexOf(step.key)).map((key) => run.steps[key]!);
  return before
    .filter(({ status, finishedAt }) => status === "success" && finishedAt && finishedAt <= step.startedAt)
    .reverse();
}
