/** How a run stands, in a few words: told when something happened that a person waits for. */

import type { RunView, StepStatus } from "./runState";
import { nodeOfKey, shownMs, tookMs } from "./runState";

export interface Told {
  run: string;
  status: string;
  /** Steps whose trouble was told. */
  steps: ReadonlySet<string>;
}

const TROUBLES: Partial<Record<StepStatus, string>> = { failed: "failed", waiting: "waits", uncertain: "may or may not have happened" };
const MOST = 3;

/** What to say now that was not said before, and what has been said then. */
export function runWords(before: Told | null, run: RunView, titles: ReadonlyMap<string, string>): { words: string; told: Told } {
  const known = before?.run === run.id ? before : { run: run.id, status: "", steps: new Set<string>() };
  const fresh = run.order.filter((key) => TROUBLES[run.steps[key]!.status] && !known.steps.has(`${key} ${run.steps[key]!.status}`));
  const lines = fresh.slice(0, MOST).map((key) => `${titles.get(nodeOfKey(key)) ?? key} ${TROUBLES[run.steps[key]!.status]}`);
  if (fresh.length > MOST) lines.push(`and ${fresh.length - MOST} more`);
  if (run.status !== known.status) lines.push(statusWords(run));
  const steps = new Set([...known.steps, ...fresh.map((key) => `${key} ${run.steps[key]!.status}`)]);
  return { words: lines.filter(Boolean).join(". "), told: { run: run.id, status: run.status, steps } };
}

function statusWords(run: RunView): string {
  if (!run.finishedAt) return `Run ${run.status}`;
  const steps = run.order.length === 1 ? "1 step" : `${run.order.length} steps`;
  return `Run ${run.status}, ${steps} in ${shownMs(tookMs(run.startedAt, run.finishedAt))}`;
}
