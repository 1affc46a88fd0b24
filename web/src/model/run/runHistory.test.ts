import { expect, test } from "vitest";
import { historySummary, runBars } from "./runHistory";

const run = (id: string, status: string, seconds: number | null) => ({
  id,
  status,
  startedAt: "2026-01-01T00:00:00Z",
  finishedAt: seconds === null ? null : new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
});

test("the oldest run is the first bar, and a longer run is higher", () => {
  const bars = runBars([run("c", "running", null), run("b", "failed", 16), run("a", "success", 4)]);
  expect(bars).toEqual([
    { id: "a", status: "success", share: 0.5 },
    { id: "b", status: "failed", share: 1 },
    { id: "c", status: "running", share: 0.25 },
  ]);
  expect(runBars([])).toEqual([]);
});

test("the runs are counted by status", () => {
  const runs = [run("c", "success", 1), run("b", "failed", 1), run("a", "success", 1)];
  expect(historySummary(runs)).toBe("Last 3 runs: 2 success, 1 failed");
  expect(historySummary([run("a", "waiting", null)])).toBe("Last 1 run: 1 waiting");
});
