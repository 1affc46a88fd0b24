/** A run as the tools of the app return it. */

import type { Json, JsonObject } from "../workflow/workflow";

export interface AppStep {
  key: string;
  title: string;
  status: string;
  started_at?: string;
  finished_at?: string | null;
  took_ms?: number;
  attempt?: number;
  is_reused?: boolean;
  can_rerun?: boolean;
  error?: { code?: string | null; message?: string | null; hint?: string | null };
}

export interface AppQuestion {
  step: string;
  kind: string;
  title: string;
  text: string;
  schema: JsonObject;
  content?: Json;
  people?: string[];
  may_answer: boolean;
}

export interface AppRun {
  run_id: string;
  workflow: string;
  status: string;
  started_at: string;
  finished_at: string | null;
  now: string;
  notice: string | null;
  inputs: Json;
  steps: AppStep[];
  hidden_steps: number;
  asks: AppQuestion[];
  uncertain: { step: string; title: string }[];
  result?: Json;
  result_text?: string;
  result_chars?: number;
  error?: JsonObject | null;
  /** Why an answer does not count. */
  why?: string;
}

const FINAL: ReadonlySet<string> = new Set(["success", "partial", "failed", "cancelled"]);

export function isOver(run: AppRun | null): boolean {
  return run === null || FINAL.has(run.status);
}

export interface Bar {
  left: number;
  width: number;
}

/** The bars of the steps in percent of the time that the run took so far; none before a step starts. */
export function barsOf({ steps, now }: Pick<AppRun, "steps" | "now">): (Bar | null)[] {
  const times = steps.map(({ started_at, finished_at }) =>
    started_at ? { from: Date.parse(started_at), to: Date.parse(finished_at ?? now) } : null,
  );
  const known = times.filter((time) => time !== null);
  const start = Math.min(...known.map(({ from }) => from));
  const span = Math.max(...known.map(({ to }) => to), start + 1) - start;
  return times.map((time) => {
    if (!time) return null;
    const left = Math.min(((time.from - start) / span) * 100, 99);
    return { left, width: Math.min(Math.max(((time.to - time.from) / span) * 100, 1), 100 - left) };
  });
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  success: "Finished",
  partial: "Failed after some steps",
  failed: "Failed",
  cancelled: "Cancelled",
  waiting: "Waiting",
  uncertain: "Needs a decision",
  running: "Running",
};

/** The run in one sentence, for screen readers. */
export function runSentence(run: AppRun): string {
  if (run.asks.length > 0) return `Waiting for an answer: ${run.asks[0]!.title || run.asks[0]!.text}`;
  const current = run.steps.find(({ status }) => status === "running");
  const words = STATUS_WORDS[run.status] ?? run.status;
  return current && !isOver(run) ? `${words}: ${current.title}` : words;
}

/** The run that a result of the tool belongs to. */
export function runOfResult(meta: JsonObject | undefined, content: JsonObject | undefined): string | null {
  const named = meta?.["toolweave/run"] ?? content?.["run_id"];
  return typeof named === "string" ? named : null;
}
