/** The run on the canvas: followed live, one store of its own so that edits and runs never meet. */

import { createStore } from "zustand/vanilla";
import { client, unwrap } from "../api/client";
import { followStream } from "../api/eventStream";
import { notifyError } from "./notices";
import type { RunEvent, RunView, StepStatus, AppliedEvents } from "../model/run/runState";
import { emptyRun, FINAL_STATUSES, statusOfNode, applyEvents } from "../model/run/runState";
import type { Json, JsonObject, Workflow } from "../model/workflow/workflow";

export interface RunState {
  run: RunView | null;
  workflow: string | null;
  /** By node; a node's own line changes only when it does. */
  statuses: Readonly<Record<string, StepStatus>>;
  isLive: boolean;
  /** The step that is looked at. */
  selectedStep: string | null;
}

/** Longer values are told of, not sent; a step's panel shows about so much. */
const MAX_VALUE_CHARS = 20_000;
const NO_RUN: RunState = { run: null, workflow: null, statuses: {}, isLive: false, selectedStep: null };
export const runStore = createStore<RunState>(() => NO_RUN);

let activeStream: AbortController | null = null;

/** Starts a run of the workflow as it is on the canvas, saved or not. */
export async function startRun(workflow: Workflow, inputs: JsonObject): Promise<string> {
  const body = { document: workflow as unknown as Record<string, unknown>, inputs };
  const run = await unwrap(client.POST("/api/v1/runs", { body: body as never }));
  watchRun(run.id, run.workflow);
  return run.id;
}

/** Follows a run from its beginning, whether it goes on or is over. */
export function watchRun(id: string, workflow: string): void {
  activeStream?.abort();
  const controller = new AbortController();
  activeStream = controller;
  runStore.setState({ ...NO_RUN, run: emptyRun(id), workflow, isLive: true });
  const queue: RunEvent[] = [];
  const flush = () => {
    const { run } = runStore.getState();
    if (controller.signal.aborted || !run || queue.length === 0) return;
    const next = applyEvents(run, queue.splice(0));
    runStore.setState((state) => ({ run: next.run, statuses: statusesOf(next, state.statuses) }));
  };
  const finished = followStream(`/api/v1/runs/${id}/events?maxChars=${MAX_VALUE_CHARS}`, {
    signal: controller.signal,
    onEvent: (event) => {
      queue.push(JSON.parse(event.data) as RunEvent);
      // A busy run sends hundreds a second; the page draws once a frame.
      if (queue.length === 1) requestAnimationFrame(flush);
    },
  });
  finished
    .then(flush)
    .catch((error: unknown) => notifyError(error, "Cannot follow the run"))
    .finally(() => activeStream === controller && runStore.setState({ isLive: false }));
}

function statusesOf(
  { run, touched }: AppliedEvents,
  before: Readonly<Record<string, StepStatus>>,
): Readonly<Record<string, StepStatus>> {
  const found: Record<string, StepStatus> = {};
  for (const node of touched) {
    const status = statusOfNode(run, node);
    if (status && status !== before[node]) found[node] = status;
  }
  return Object.keys(found).length ? { ...before, ...found } : before;
}

export function clearRun(): void {
  activeStream?.abort();
  activeStream = null;
  runStore.setState(NO_RUN);
}

export function selectStep(step: string | null): void {
  runStore.setState({ selectedStep: step });
}

export function isRunOver(run: RunView | null): boolean {
  return run === null || FINAL_STATUSES.has(run.status);
}

export async function cancelRun(id: string): Promise<void> {
  await unwrap(client.POST("/api/v1/runs/{run}/cancel", { params: { path: { run: id } } }));
}

/** Runs again from a node, all before it taken from the run; `input` replaces what came in. */
export async function rerunFrom(
  id: string,
  node: string,
  input?: Json,
  workflow?: Workflow,
): Promise<string> {
  const edit = input === undefined ? {} : { edit: [{ op: "replace" as const, path: "/data", value: input }] };
  const body = { from: node, ...edit, ...(workflow ? { document: workflow } : {}) };
  const run = await unwrap(
    client.POST("/api/v1/runs/{run}/fork", { params: { path: { run: id } }, body: body as never }),
  );
  watchRun(run.id, run.workflow);
  return run.id;
}
