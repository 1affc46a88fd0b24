/** The last runs of a workflow as bars, and in words. */

import { countOf } from "../text/formatValue";
import { durationMs } from "./runState";
import { shownStatus } from "./shownStatus";

export interface PastRun {
  id: string;
  status: string;
  startedAt: string;
  finishedAt?: string | null;
}

export interface RunBar {
  id: string;
  status: string;
  /** The height, from 0 to 1; not less than a bar that can be seen. */
  share: number;
}

const MIN_SHARE = 0.25;

/** A bar for each run, the oldest first; longer runs are higher. */
export function runBars(runs: readonly PastRun[]): RunBar[] {
  const took = (run: PastRun) => (run.finishedAt ? durationMs(run.startedAt, run.finishedAt) : 0);
  const longest = Math.max(1, ...runs.map(took));
  // Square roots, so that one slow run does not flatten the others.
  const share = (run: PastRun) => Math.max(MIN_SHARE, Math.sqrt(took(run) / longest));
  return [...runs].reverse().map((run) => ({ id: run.id, status: run.status, share: share(run) }));
}

/** What the bars show: `Last 3 runs: 2 success, 1 failed`. */
export function historySummary(runs: readonly PastRun[]): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) {
    const shown = shownStatus(status);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  return `Last ${countOf(runs.length, "run")}: ${parts.join(", ")}`;
}
