/** The progress of a run in a short message, for events that the user waits for. */

import type { RunView, StepStatus } from "./runState";
import { nodeOfStep, formatDuration, durationMs } from "./runState";

export interface ReportedProgress {
  run: string;
  status: string;
  /** Steps whose status was reported already. */
  steps: ReadonlySet<string>;
}

const REPORTED_STATUSES: Partial<Record<StepStatus, string>> = {
  failed: "failed",
  waiting: "waits",
  uncertain: "may or may not have finished",
};
const MAX_STEPS = 3;

/** The message about what was not reported yet, and what has been reported then. */
export function progressMessage(
  reported: ReportedProgress | null,
  run: RunView,
  titles: ReadonlyMap<string, string>,
): { words: string; told: ReportedProgress } {
  const previous =
    reported?.run === run.id ? reported : { run: run.id, status: "", steps: new Set<string>() };
  const newKeys = run.order.filter(
    (key) =>
      REPORTED_STATUSES[run.steps[key]!.status] && !previous.steps.has(`${key} ${run.steps[key]!.status}`),
  );
  const lines = newKeys
    .slice(0, MAX_STEPS)
    .map((key) => `${titles.get(nodeOfStep(key)) ?? key} ${REPORTED_STATUSES[run.steps[key]!.status]}`);
  if (newKeys.length > MAX_STEPS) lines.push(`and ${newKeys.length - MAX_STEPS} more`);
  if (run.status !== previous.status) lines.push(statusMessage(run));
  const steps = new Set([...previous.steps, ...newKeys.map((key) => `${key} ${run.steps[key]!.status}`)]);
  return { words: lines.filter(Boolean).join(". "), told: { run: run.id, status: run.status, steps } };
}

function statusMessage(run: RunView): string {
  if (!run.finishedAt) return `Run ${run.status}`;
  const steps = run.order.length === 1 ? "1 step" : `${run.order.length} steps`;
  return `Run ${run.status}, ${steps} in ${formatDuration(durationMs(run.startedAt, run.finishedAt))}`;
}
