import { describe, expect, it } from "vitest";
import { unservedQueue } from "./queueWait";
import type { RunEvent } from "./runState";
import { applyEvent, applyEvents, emptyRun, statusOfNode } from "./runState";

describe("run state", () => {
  const events: RunEvent[] = [
    { type: "started", seq: 1, at: "2026-01-01T00:00:00Z", inputs: {} },
    { type: "computed", seq: 2, at: "2026-01-01T00:00:01Z", steps: [["start", 0]], values: [{ a: 1 }] },
    { type: "step_started", seq: 3, at: "2026-01-01T00:00:01Z", key: "fetch" },
    {
      type: "step_failed",
      seq: 4,
      at: "2026-01-01T00:00:02Z",
      key: "fetch",
      code: "X",
      message: "no",
      retry_at: "2026-01-01T00:00:03Z",
    },
    { type: "step_started", seq: 5, at: "2026-01-01T00:00:03Z", key: "fetch", attempt: 2 },
    { type: "step_finished", seq: 6, at: "2026-01-01T00:00:04Z", key: "fetch", value: 7 },
    { type: "step_started", seq: 7, at: "2026-01-01T00:00:04Z", key: "loop#1/send" },
    { type: "finished", seq: 8, at: "2026-01-01T00:00:05Z", status: "failed", error: { message: "x" } },
  ];

  it("is computed from events, with every attempt", () => {
    const run = events.reduce(applyEvent, emptyRun("r"));
    expect(run.steps["fetch"]).toMatchObject({
      status: "success",
      value: 7,
      finishedAt: "2026-01-01T00:00:04Z",
    });
    expect(run.steps["fetch"]!.attempts.map((attempt) => attempt.error?.code ?? null)).toEqual(["X", null]);
    expect(statusOfNode(run, "send")).toBe("cancelled");
    expect(run.status).toBe("failed");
  });

  it("keeps what a tool said beside its value", () => {
    const at = "2026-01-01T00:00:00Z";
    const said: RunEvent[] = [
      { type: "step_started", seq: 1, at, key: "rain" },
      {
        type: "step_finished",
        seq: 2,
        at,
        key: "rain",
        value: { degrees: 7 },
        content: [{ type: "text", text: "It will rain." }],
      },
    ];
    const { steps } = said.reduce(applyEvent, emptyRun("r"));
    expect(steps["rain"]).toMatchObject({ value: { degrees: 7 }, said: "It will rain." });
  });

  it("applies a batch of events, reports the touched nodes, and does not mutate the previous state", () => {
    const before = events.slice(0, 3).reduce(applyEvent, emptyRun("r"));
    const { run, touched } = applyEvents(before, events.slice(3));
    expect(run).toEqual(events.reduce(applyEvent, emptyRun("r")));
    expect([...touched].sort()).toEqual(["fetch", "send"]);
    expect([before.status, before.order, before.stepsOfNode["fetch"], before.steps["fetch"]!.status]).toEqual(
      ["running", ["start", "fetch"], ["fetch"], "running"],
    );
  });

  it("marks the steps that a repeated run took from the earlier one", () => {
    const at = "2026-01-01T00:00:00Z";
    const forked: RunEvent[] = [
      { type: "started", seq: 1, at, fork_of: "r0", fork_at: "send" },
      { type: "computed", seq: 2, at, steps: [["start", 0]], values: [1] },
      { type: "step_started", seq: 3, at, key: "fetch" },
      { type: "step_finished", seq: 4, at, key: "fetch", value: 7 },
      { type: "step_started", seq: 5, at, key: "send" },
      { type: "computed", seq: 6, at, steps: [["after", 0]], values: [1] },
    ];
    const { steps } = forked.reduce(applyEvent, emptyRun("r"));
    const reused = Object.values(steps).filter(({ isReused }) => isReused);
    expect(reused.map(({ key }) => key)).toEqual(["start", "fetch"]);
    const fresh = events.reduce(applyEvent, emptyRun("r"));
    expect(Object.values(fresh.steps).some(({ isReused }) => isReused)).toBe(false);
  });

  it("shows the queue that a step waits for, until a worker begins it", () => {
    const at = "2026-01-01T00:00:01Z";
    const queued = { type: "step_queued", seq: 2, at, key: "render", queue: "gpu", is_served: false };
    const waiting = [events[0]!, queued].reduce(applyEvent, emptyRun("r"));
    expect(waiting.steps["render"]).toMatchObject({ status: "waiting" });
    expect(unservedQueue(waiting)).toBe("gpu");
    const begun = applyEvent(waiting, { type: "step_started", seq: 3, at, key: "render" });
    expect(begun.steps["render"]!.status).toBe("running");
    expect(unservedQueue(begun)).toBeNull();
    expect(unservedQueue(applyEvent(waiting, { ...queued, seq: 3, is_served: true }))).toBeNull();
  });

  it("keeps how a result was truncated", () => {
    const cut = { result: { text: "[1,", digest: "d", chars: 9 } };
    const run = applyEvent(emptyRun("r"), { ...events[7]!, seq: 1, status: "success", cut });
    expect(run.resultTruncated).toEqual(cut.result);
  });

  it("ignores events that were applied before", () => {
    const once = events.reduce(applyEvent, emptyRun("r"));
    expect(events.reduce(applyEvent, once)).toBe(once);
  });
});
