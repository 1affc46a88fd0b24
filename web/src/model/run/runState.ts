/** A run as its events tell it: how each node stands, what it gave, when, at which try. */

import type { Schemas } from "../../api/client";
import type { Json, JsonObject } from "../workflow/workflow";

export type StepStatus = "running" | "success" | "failed" | "retrying" | "waiting" | "uncertain" | "skipped" | "cancelled";
export type RunStatus = "running" | "waiting" | "uncertain" | "success" | "partial" | "failed" | "cancelled";

export interface Try {
  attempt: number;
  startedAt: string;
  finishedAt: string | null;
  error: { code: string; message: string; hint?: string | null } | null;
  /** When it is tried again. */
  retryAt?: string | null;
}

/** Told of a value that is too large to be sent. */
export type Cut = Schemas["CutShape"];

/** Something a step said while it ran. */
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

/** What a node that works with a model did, one part after another. */
export type Part = ModelPart | ToolPart | { kind: "pause"; message: string };

export interface Step {
  key: string;
  node: string;
  status: StepStatus;
  startedAt: string;
  finishedAt: string | null;
  value?: Json | undefined;
  cut?: Cut | undefined;
  log: readonly LogLine[];
  parts: readonly Part[];
  question?: JsonObject | null;
  until?: string | null;
  tries: Try[];
}

export interface RunView {
  id: string;
  status: RunStatus;
  steps: Readonly<Record<string, Step>>;
  /** Keys in the order the steps began. */
  order: readonly string[];
  /** By node: its steps' keys, more than one in a loop. */
  ofNode: Readonly<Record<string, readonly string[]>>;
  startedAt: string | null;
  finishedAt: string | null;
  result?: Json;
  resultCut?: Cut | undefined;
  error?: JsonObject | null;
  forkOf: string | null;
  forkAt: string | null;
  seq: number;
}

export interface RunEvent {
  type: string;
  seq: number;
  at: string;
  [field: string]: unknown;
}

export const FINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(["success", "partial", "failed", "cancelled"]);
const OPEN: ReadonlySet<StepStatus> = new Set<StepStatus>(["running", "waiting", "retrying", "uncertain"]);
const TURN = -1;

export function emptyRun(id: string): RunView {
  return { id, status: "running", steps: {}, order: [], ofNode: {}, startedAt: null, finishedAt: null, forkOf: null, forkAt: null, seq: 0 };
}

/** `loop#3/fetch` is a step of the node `fetch`. */
export function nodeOfKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** A run that is being written: copied once for all events that came together. */
interface Draft extends RunView {
  steps: Record<string, Step>;
  order: string[];
  ofNode: Record<string, readonly string[]>;
  /** Nodes whose steps changed; their lists of steps are this draft's own. */
  touched: Set<string>;
}

export interface Taken {
  run: RunView;
  touched: ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

/** The run after more events; one that was seen already changes nothing. */
export function takeEvents(run: RunView, events: readonly RunEvent[]): Taken {
  if (!events.some(({ seq }) => seq > run.seq)) return { run, touched: NOBODY };
  const draft: Draft = { ...run, steps: { ...run.steps }, order: [...run.order], ofNode: { ...run.ofNode }, touched: new Set() };
  for (const event of events) {
    if (event.seq <= draft.seq) continue;
    draft.seq = event.seq;
    take(draft, event);
  }
  const { touched, ...next } = draft;
  return { run: next, touched };
}

export function takeEvent(run: RunView, event: RunEvent): RunView {
  return takeEvents(run, [event]).run;
}

function take(run: Draft, event: RunEvent): void {
  const key = String(event["key"] ?? "");
  switch (event.type) {
    case "started":
      Object.assign(run, { startedAt: event.at, status: "running", forkOf: event["fork_of"] ?? null, forkAt: event["fork_at"] ?? null });
      return;
    case "computed":
      return computed(run, event);
    case "step_started":
      return began(run, key, event);
    case "step_progress":
      return said(run, key, event);
    case "step_finished":
      return ended(run, key, "success", event, { value: event["value"] as Json, cut: cutOf(event, "value") });
    case "step_failed":
      return failed(run, key, event);
    case "step_waiting":
      if (event["adds"]) return worked(run, key, event);
      run.status = "waiting";
      return put(run, key, { status: "waiting", question: (event["question"] as JsonObject) ?? null, until: (event["until"] as string) ?? null }, event.at);
    case "step_uncertain":
      run.status = "uncertain";
      return put(run, key, { status: "uncertain" }, event.at);
    case "resolved":
      run.status = "running";
      return put(run, key, { status: event["choice"] === "skip" ? "skipped" : event["choice"] === "fail" ? "failed" : "running" }, event.at);
    case "answered":
      run.status = "running";
      return put(run, key, { status: "running" }, event.at);
    case "finished":
      return finished(run, event);
  }
}

function cutOf(event: RunEvent, field: string): Cut | undefined {
  return (event["cut"] as Record<string, Cut> | undefined)?.[field];
}

/** One more part of a node that works with a model; its next part begins at once. */
function worked(run: Draft, key: string, event: RunEvent): void {
  const part = event["memory"] as Part | null;
  const parts = [...(run.steps[key]?.parts ?? []), ...(part && typeof part === "object" ? [part] : [])];
  put(run, key, { parts }, event.at);
}

const MOST_LINES = 400;

function said(run: Draft, key: string, event: RunEvent): void {
  const line: LogLine = { at: event.at, attempt: Number(event["attempt"] ?? 1), done: Number(event["done"]), total: (event["total"] as number) ?? null, message: (event["message"] as string) ?? null };
  put(run, key, { log: [...(run.steps[key]?.log ?? []), line].slice(-MOST_LINES) }, event.at);
}

/** What the models of a step used; the model is the last that answered. */
export function spentOn(step: Step): { input: number; output: number; cost: number | null; model: string | null } {
  const answers = step.parts.filter((part) => part.kind === "model");
  const costs = answers.map(({ usage }) => usage?.cost_usd).filter((cost) => typeof cost === "number");
  const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
  return {
    input: sum(answers.map(({ usage }) => usage?.input_tokens)),
    output: sum(answers.map(({ usage }) => usage?.output_tokens)),
    cost: costs.length ? sum(costs) : null,
    model: answers.at(-1)?.model ?? null,
  };
}

function computed(run: Draft, event: RunEvent): void {
  const values = event["values"] as Json[];
  for (const [key, number] of event["steps"] as [string, number][]) {
    if (number === TURN) continue;
    const tries: Try[] = [{ attempt: 1, startedAt: event.at, finishedAt: event.at, error: null }];
    put(run, String(key), { status: "success", finishedAt: event.at, value: values[number], cut: cutOf(event, `values/${number}`), tries }, event.at);
  }
}

function began(run: Draft, key: string, event: RunEvent): void {
  const attempt = Number(event["attempt"] ?? 1);
  const before = run.steps[key]?.tries.filter((one) => one.attempt !== attempt) ?? [];
  const tries = [...before, { attempt, startedAt: event.at, finishedAt: null, error: null }];
  run.status = "running";
  put(run, key, { status: "running", finishedAt: null, tries }, event.at);
}

function ended(run: Draft, key: string, status: StepStatus, event: RunEvent, more: Partial<Step>): void {
  const tries = closed(run.steps[key]?.tries ?? [], event.at, null);
  put(run, key, { status, finishedAt: event.at, tries, ...more }, event.at);
}

function failed(run: Draft, key: string, event: RunEvent): void {
  const error = { code: String(event["code"]), message: String(event["message"]), hint: (event["hint"] as string) ?? null };
  const known = run.steps[key]?.tries ?? [];
  const tries = known.length ? known : [{ attempt: 1, startedAt: event.at, finishedAt: null, error: null }];
  const status = event["retry_at"] ? "retrying" : "failed";
  const ended = closed(tries, event.at, error).map((one, at) => (at === tries.length - 1 ? { ...one, retryAt: (event["retry_at"] as string) ?? null } : one));
  put(run, key, { status, finishedAt: event.at, tries: ended }, event.at);
}

function closed(tries: readonly Try[], at: string, error: Try["error"]): Try[] {
  return tries.map((one, index) => (index === tries.length - 1 ? { ...one, finishedAt: at, error } : one));
}

function put(run: Draft, key: string, change: Partial<Step>, at: string): void {
  const old = run.steps[key];
  const node = nodeOfKey(key);
  const fresh: Step = { key, node, status: "running", startedAt: at, finishedAt: null, tries: [], log: [], parts: [] };
  run.steps[key] = { ...(old ?? fresh), ...change };
  if (!old) {
    run.order.push(key);
    const own = run.touched.has(node) ? (run.ofNode[node] as string[]) : [...(run.ofNode[node] ?? [])];
    own.push(key);
    run.ofNode[node] = own;
  } else if (!run.touched.has(node)) run.ofNode[node] = [...run.ofNode[node]!];
  run.touched.add(node);
}

function finished(run: Draft, event: RunEvent): void {
  for (const [key, step] of Object.entries(run.steps)) {
    if (OPEN.has(step.status)) put(run, key, { status: "cancelled", finishedAt: step.finishedAt ?? event.at }, event.at);
  }
  Object.assign(run, { status: event["status"], finishedAt: event.at, result: event["result"], resultCut: cutOf(event, "result"), error: event["error"] ?? null });
}

/** How a node stands, over all its steps: what needs a look first. */
export function statusOfNode(run: RunView | null, node: string): StepStatus | null {
  const keys = run?.ofNode[node];
  if (!run || !keys) return null;
  const found = keys.map((key) => run.steps[key]!.status);
  return ORDER.find((status) => found.includes(status)) ?? null;
}

const ORDER: readonly StepStatus[] = ["uncertain", "waiting", "running", "retrying", "failed", "cancelled", "success", "skipped"];

export function tookMs(from: string | null, to: string | null): number {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0;
}

export function shownMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
