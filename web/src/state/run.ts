/** The run shown on the canvas, followed live. A store of its own, so that edits do not render run state. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import { followStream } from "../api/eventStream";
import type { AppliedEvents, RunEvent, RunView, StepStatus } from "../model/run/runState";
import { applyEvents, emptyRun, statusOfNode } from "../model/run/runState";
import { notifyError } from "./notices";

export interface RunState {
  run: RunView | null;
  workflow: string | null;
  /** By node; the status of a node changes only when its own steps do. */
  statuses: Readonly<Record<string, StepStatus>>;
  isLive: boolean;
  /** The step shown in the run panel. */
  selectedStep: string | null;
}

/** The service truncates longer values; the panel of a step shows about this much. */
const MAX_VALUE_CHARS = 20_000;
const NO_RUN: RunState = { run: null, workflow: null, statuses: {}, isLive: false, selectedStep: null };

export class FollowedRun {
  readonly store: StoreApi<RunState> = createStore(() => NO_RUN);
  private stream: AbortController | null = null;

  get id(): string | null {
    return this.store.getState().run?.id ?? null;
  }

  /** The name of the workflow that the run belongs to. */
  get workflow(): string | null {
    return this.store.getState().workflow;
  }

  /** Follows a run from its first event, whether it is still running or finished. */
  follow(id: string, workflow: string): void {
    this.stream?.abort();
    const stream = new AbortController();
    this.stream = stream;
    this.store.setState({ ...NO_RUN, run: emptyRun(id), workflow, isLive: true });
    const queue: RunEvent[] = [];
    const flush = () => {
      if (!stream.signal.aborted) this.apply(queue.splice(0));
    };
    followStream(`/api/v1/runs/${id}/events?maxChars=${MAX_VALUE_CHARS}`, {
      signal: stream.signal,
      onEvent: (event) => {
        queue.push(JSON.parse(event.data) as RunEvent);
        // A busy run sends hundreds of events a second; render once per frame.
        if (queue.length === 1) requestAnimationFrame(flush);
      },
    })
      .then(flush)
      .catch((error: unknown) => notifyError(error, "Cannot follow the run"))
      .finally(() => this.stream === stream && this.store.setState({ isLive: false }));
  }

  /** Stops following and shows no run. */
  clear(): void {
    this.stream?.abort();
    this.stream = null;
    this.store.setState(NO_RUN);
  }

  selectStep(key: string | null): void {
    this.store.setState({ selectedStep: key });
  }

  private apply(events: RunEvent[]): void {
    const { run, statuses } = this.store.getState();
    if (!run || events.length === 0) return;
    const next = applyEvents(run, events);
    this.store.setState({ run: next.run, statuses: updatedStatuses(next, statuses) });
  }
}

function updatedStatuses(
  { run, touched }: AppliedEvents,
  before: RunState["statuses"],
): RunState["statuses"] {
  const changed: Record<string, StepStatus> = {};
  for (const node of touched) {
    const status = statusOfNode(run, node);
    if (status && status !== before[node]) changed[node] = status;
  }
  return Object.keys(changed).length ? { ...before, ...changed } : before;
}
