import { expect, it } from "vitest";
import { nodeDurationMs, nodeError, outputItems } from "./nodeOutput";
import { applyEvents, emptyRun } from "./runState";

const at = (seconds: number) => `2026-01-01T00:00:0${seconds}.000Z`;

it("counts the items of lists and adds up the steps of a node", () => {
  const { run } = applyEvents(emptyRun("r"), [
    { type: "started", seq: 1, at: at(0) },
    { type: "step_started", seq: 2, at: at(0), key: "list" },
    { type: "step_finished", seq: 3, at: at(2), key: "list", value: [1, 2, 3] },
    { type: "step_started", seq: 4, at: at(2), key: "loop#1/each" },
    { type: "step_finished", seq: 5, at: at(3), key: "loop#1/each", value: { a: [1, 2] } },
    { type: "step_started", seq: 6, at: at(3), key: "loop#2/each" },
    { type: "step_failed", seq: 7, at: at(5), key: "loop#2/each", code: "X", message: "no\nmore" },
    { type: "step_started", seq: 8, at: at(5), key: "open" },
  ]);
  expect([outputItems(run, "list"), outputItems(run, "each"), outputItems(run, "missing")]).toEqual([
    3, 1, 0,
  ]);
  expect([nodeDurationMs(run, "list"), nodeDurationMs(run, "each")]).toEqual([2_000, 3_000]);
  expect(nodeDurationMs(run, "open")).toBeNull();
  expect([nodeError(run, "each"), nodeError(run, "list")]).toEqual(["no\nmore", null]);
});
