/** The state of a run, computed from its events: status, output, times and attempts of each step. */

import type { Schemas } from "../../api/client";
import type { Json, JsonObject } from "../workflow/workflow";
import type { QueueWait } from "./queueWait";
import { queueOf } from "./queueWait";
import { toolTextOf } from "./toolText";

export { durationMs, formatDuration } from "./duration";

export type StepStatus =
  "running" | "success" | "failed" | "retrying" | "waiting" | "uncertain" | "skipped" | "cancelled";
export type RunStatus = "running" | "waiting" | "uncertain" | "success" | "partial" | "failed" | "cancelled";

export interface Attempt {
  attempt: number;
  startedAt: string;
  finishedAt: string | null;
  error: { code: string; message: string; hint?: string | null } | null;
  /** When the next attempt starts. */
  retryAt?: string | null;
}

/** Replaces a value that is too large to be sent. */
export type TruncatedValue = Schemas["TruncatedValue"];

/** A progress message of a step. */
export interface LogLine {
  at: string;
  attempt: number;
  done: number;
  total: number | null;
  message: string | null;
}

export interface ModelPart {
  kind: "model";
  model: string;
  message: { text?: string; wanted?: { name: string }[] };
  usage?: { input_tokens?: number; output_tokens?: number; cost_usd?: number | null };
}

export interface ToolPart {
  kind: "tool";
  name: string;
  arguments: JsonObject;
  text: string;
  is_error?: boolean;
  took_ms?: number;
}

/** What a node that works with a model did, in order. */
export type ModelActivity = ModelPart | ToolPart | { kind: "pause"; message: string };

export interface Step {
  key: string;
  node: string;
  status: StepStatus;
  startedAt: string;
  finishedAt: string | null;
  value?: Json | undefined;
  truncated?: TruncatedValue | undefined;
  said?: string | undefined;
  log: readonly LogLine[];
  parts: readonly ModelActivity[];
  question?: JsonObject | null;
  until?: string | null;
  queue?: QueueWait | undefined;
  attempts: Attempt[];
  /** The ports it left by; absent for the usual one. */
  ports?: readonly string[] | undefined;
  /** Its output was pinned, so it was not executed. */
  isPinned?: boolean;
  /** Taken from the run that this one repeats, not run again. */
  isReused: boolean;
}

export interface RunView {
  id: string;
  status: RunStatus;
  steps: Readonly<Record<string, Step>>;
  /** Step keys in the order in which the steps started. */
  order: readonly string[];
  /** The step keys of each node; more than one in a loop. */
  stepsOfNode: Readonly<Record<string, readonly string[]>>;
  startedAt: string | null;
  finishedAt: string | null;
  result?: Json;
  resultTruncated?: TruncatedValue | undefined;
  error?: JsonObject | null;
  forkOf: string | null;
  forkAt: string | null;
  /** The nodes whose outputs were pinned. */
  pinned: ReadonlySet<string>;
  seq: number;
}

export interface RunEvent {
  type: string;
  seq: number;
  at: string;
  [field: string]: unknown;
}

export const FINAL_STATUSES: ReadonlySet<RunStatus> = new Set<RunStatus>([
  "success",
  "partial",
  "failed",
  "cancelled",
]);
const OPEN_STATUSES: ReadonlySet<StepStatus> = new Set<StepStatus>([
  "running",
  "waiting",
  "retrying",
  "uncertain",
]);
const LOOP_ITERATION = -1;
const NO_NODES: ReadonlySet<string> = new Set();

export function emptyRun(id: string): RunView {
  return {
    id,
    status: "running",
    steps: {},
    order: [],
    stepsOfNode: {},
    startedAt: null,
    finishedAt: null,
    forkOf: null,
    forkAt: null,
    pinned: NO_NODES,
    seq: 0,
  };
}

export function isRunOver(run: RunView | null): boolean {
  return run === null || FINAL_STATUSES.has(run.status);
}

/** `loop#3/fetch` is a step of the node `fetch`. */
export function nodeOfStep(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** A mutable run, copied once for a batch of events. */
interface RunDraft extends RunView {
  steps: Record<string, Step>;
  order: string[];
  stepsOfNode: Record<string, readonly string[]>;
  /** Nodes whose steps changed; their lists of steps were copied. */
  touched: Set<string>;
}

export interface AppliedEvents {
  run: RunView;
  touched: ReadonlySet<string>;
}

/** Applies events to a run; events that were applied before change nothing. */
export function applyEvents(run: RunView, events: readonly RunEvent[]): AppliedEvents {
  if (!events.some(({ seq }) => seq > run.seq)) return { run, touched: NO_NODES };
  const draft: RunDraft = {
    ...run,
    steps: { ...run.steps },
    order: [...run.order],
    stepsOfNode: { ...run.stepsOfNode },
    touched: new Set(),
  };
  for (const event of events) {
    if (event.seq <= draft.seq) continue;
    draft.seq = event.seq;
    applyTo(draft, event);
  }
  const { touched, ...next } = draft;
  return { run: next, touched };
}

export function applyEvent(run: RunView, event: RunEvent): RunView {
  return applyEvents(run, [event]).run;
}

function applyTo(run: RunDraft, event: RunEvent): void {
  const key = String(event["key"] ?? "");
  switch (event.type) {
    case "started":
      Object.assign(run, {
        startedAt: event.at,
        status: "running",
        forkOf: event["fork_of"] ?? null,
        forkAt: event["fork_at"] ?? null,
        pinned: new Set(Object.keys((event["pins"] as JsonObject | null) ?? {})),
      });
      return;
    case "computed":
      return addComputedSteps(run, event);
    case "step_started":
      return startStep(run, key, event);
    case "step_progress":
      return addLogLine(run, key, event);
    case "step_finished":
      return finishStep(run, key, "success", event, {
        value: event["value"] as Json,
        ports: (event["ports"] as string[] | null) ?? undefined,
        truncated: truncatedField(event, "value"),
        said: toolTextOf(event["content"]),
      });
    case "step_failed":
      return failStep(run, key, event);
    case "step_waiting":
      if (event["adds"]) return addActivity(run, key, event);
      run.status = "waiting";
      return updateStep(
        run,
        key,
        {
          status: "waiting",
          question: (event["question"] as JsonObject) ?? null,
          until: (event["until"] as string) ?? null,
        },
        event.at,
      );
    case "step_queued":
      return updateStep(run, key, { status: "waiting", queue: queueOf(event) }, event.at);
    case "slot_awaited":
    case "slot_freed":
      run.status = event.type === "slot_freed" ? "running" : "waiting";
      return;
    case "step_uncertain":
      run.status = "uncertain";
      return updateStep(run, key, { status: "uncertain" }, event.at);
    case "resolved":
      run.status = "running";
      return updateStep(
        run,
        key,
        {
          status: event["choice"] === "skip" ? "skipped" : event["choice"] === "fail" ? "failed" : "running",
        },
        event.at,
      );
    case "answered":
      run.status = "running";
      return updateStep(run, key, { status: "running" }, event.at);
    case "finished":
      return finishRun(run, event);
  }
}

function truncatedField(event: RunEvent, field: string): TruncatedValue | undefined {
  return (event["cut"] as Record<string, TruncatedValue> | undefined)?.[field];
}

/** Adds an activity of a node that works with a model. */
function addActivity(run: RunDraft, key: string, event: RunEvent): void {
  const part = event["memory"] as ModelActivity | null;
  const parts = [...(run.steps[key]?.parts ?? []), ...(part && typeof part === "object" ? [part] : [])];
  updateStep(run, key, { parts }, event.at);
}

const MAX_LOG_LINES = 400;

function addLogLine(run: RunDraft, key: string, event: RunEvent): void {
  const line: LogLine = {
    at: event.at,
    attempt: Number(event["attempt"] ?? 1),
    done: Number(event["done"]),
    total: (event["total"] as number) ?? null,
    message: (event["message"] as string) ?? null,
  };
  updateStep(run, key, { log: [...(run.steps[key]?.log ?? []), line].slice(-MAX_LOG_LINES) }, event.at);
}

function addComputedSteps(run: RunDraft, event: RunEvent): void {
  const values = event["values"] as Json[];
  for (const [key, number, ...ports] of event["steps"] as [string, number, ...(string | null)[]][]) {
    if (number === LOOP_ITERATION) continue;
    const attempts: Attempt[] = [{ attempt: 1, startedAt: event.at, finishedAt: event.at, error: null }];
    updateStep(
      run,
      String(key),
      {
        status: "success",
        finishedAt: event.at,
        value: values[number],
        ports: ports.length ? ports.filter((port) => port !== null) : undefined,
        truncated: truncatedField(event, `values/${number}`),
        attempts,
      },
      event.at,
    );
  }
}

function startStep(run: RunDraft, key: string, event: RunEvent): void {
  const number = Number(event["attempt"] ?? 1);
  const before = run.steps[key]?.attempts.filter(({ attempt }) => attempt !== number) ?? [];
  const attempts = [...before, { attempt: number, startedAt: event.at, finishedAt: null, error: null }];
  run.status = "running";
  updateStep(run, key, { status: "running", finishedAt: null, attempts, queue: undefined }, event.at);
}

function finishStep(
  run: RunDraft,
  key: string,
  status: StepStatus,
  event: RunEvent,
  more: Partial<Step>,
): void {
  const attempts = closeLastAttempt(run.steps[key]?.attempts ?? [], event.at, null);
  updateStep(run, key, { status, finishedAt: event.at, attempts, ...more }, event.at);
}

function failStep(run: RunDraft, key: string, event: RunEvent): void {
  const error = {
    code: String(event["code"]),
    message: String(event["message"]),
    hint: (event["hint"] as string) ?? null,
  };
  const current = run.steps[key]?.attempts ?? [];
  const attempts = current.length
    ? current
    : [{ attempt: 1, startedAt: event.at, finishedAt: null, error: null }];
  const status = event["retry_at"] ? "retrying" : "failed";
  const ended = closeLastAttempt(attempts, event.at, error).map((attempt, at) =>
    at === attempts.length - 1 ? { ...attempt, retryAt: (event["retry_at"] as string) ?? null } : attempt,
  );
  updateStep(run, key, { status, finishedAt: event.at, attempts: ended }, event.at);
}

function closeLastAttempt(attempts: readonly Attempt[], at: string, error: Attempt["error"]): Attempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 ? { ...attempt, finishedAt: at, error } : attempt,
  );
}

function updateStep(run: RunDraft, key: string, change: Partial<Step>, at: string): void {
  const old = run.steps[key];
  const node = nodeOfStep(key);
  const created: Step = {
    key,
    node,
    status: "running",
    startedAt: at,
    finishedAt: null,
    attempts: [],
    log: [],
    parts: [],
    isReused: isBeforeFork(run, node, at) && !run.pinned.has(node),
    isPinned: run.pinned.has(node),
  };
  run.steps[key] = { ...(old ?? created), ...change };
  if (!old) {
    run.order.push(key);
    const keysOfNode = run.touched.has(node)
      ? (run.stepsOfNode[node] as string[])
      : [...(run.stepsOfNode[node] ?? [])];
    keysOfNode.push(key);
    run.stepsOfNode[node] = keysOfNode;
  } else if (!run.touched.has(node)) run.stepsOfNode[node] = [...run.stepsOfNode[node]!];
  run.touched.add(node);
}

/** A forked run starts with the steps before its node, recorded at the moment it was created. */
function isBeforeFork(run: RunDraft, node: string, at: string): boolean {
  const { forkAt, startedAt, stepsOfNode } = run;
  return forkAt !== null && at === startedAt && node !== forkAt && stepsOfNode[forkAt] === undefined;
}

function finishRun(run: RunDraft, event: RunEvent): void {
  for (const [key, step] of Object.entries(run.steps)) {
    if (OPEN_STATUSES.has(step.status))
      updateStep(run, key, { status: "cancelled", finishedAt: step.finishedAt ?? event.at }, event.at);
  }
  Object.assign(run, {
    status: event["status"],
    finishedAt: event.at,
    result: event["result"],
    resultTruncated: truncatedField(event, "result"),
    error: event["error"] ?? null,
  });
}

/** The status of a node over all its steps: the one that needs attention first. */
export function statusOfNode(run: RunView | null, node: string): StepStatus | null {
  const keys = run?.stepsOfNode[node];
  if (!run || !keys) return null;
  const statuses = keys.map((key) => run.steps[key]!.status);
  return STATUS_PRIORITY.find((status) => statuses.includes(status)) ?? null;
}

const STATUS_PRIORITY: readonly StepStatus[] = [
  "uncertain",
  "waiting",
  "running",
  "retrying",
  "failed",
  "cancelled",
  "success",
  "skipped",
];
