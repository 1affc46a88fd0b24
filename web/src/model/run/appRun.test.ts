import { expect, test } from "vitest";
import { barsOf, isOver, runOfResult } from "./appRun";

const STEP = { key: "a", title: "A", status: "success" };

test("bars share one time scale, and a step that has not begun has none", () => {
  const steps = [
    { ...STEP, started_at: "2026-11-17T10:00:00Z", finished_at: "2026-11-17T10:00:01Z" },
    { ...STEP, started_at: "2026-11-17T10:00:01Z", finished_at: null },
    { ...STEP, status: "pending" },
  ];
  const [first, second, third] = barsOf({ steps, now: "2026-11-17T10:00:04Z" });
  expect(first).toEqual({ left: 0, width: 25 });
  expect(second).toEqual({ left: 25, width: 75 });
  expect(third).toBeNull();
  expect(barsOf({ steps: [], now: "2026-11-17T10:00:04Z" })).toEqual([]);
});

test("a result names its run in its metadata, or as a handle", () => {
  expect(runOfResult({ "toolweave/run": "a" }, { run_id: "b" })).toBe("a");
  expect(runOfResult(undefined, { run_id: "b" })).toBe("b");
  expect(runOfResult({}, { result: 5 })).toBeNull();
  expect(isOver(null)).toBe(true);
});
