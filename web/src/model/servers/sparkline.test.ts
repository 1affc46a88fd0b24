import { describe, expect, it } from "vitest";
import type { Check } from "./sparkline";
import { sparkline } from "./sparkline";

const check = (latencyMs: number | null): Check => ({
  at: "2026-11-16T09:00:00Z",
  ok: latencyMs !== null,
  latencyMs,
});

describe("the sparkline of a server", () => {
  it("is interrupted at failed checks, and has a text summary", () => {
    const drawn = sparkline([check(10), check(20), check(null), check(5)], 100, 20);
    expect(drawn.lines).toEqual(["2,10 34,2", "96.3,14 98,14"]);
    expect(drawn.failures).toEqual([66]);
    expect(drawn.summary).toBe(
      "Last 4 checks; latest response in 5 ms, 5 ms to 20 ms, median 10 ms; 1 failed.",
    );
  });

  it("is empty for a server that was never checked", () => {
    expect(sparkline([], 100, 20)).toEqual({ lines: [], failures: [], summary: "Not checked yet." });
  });

  it("is a line across for a single check, and has none for a failed one", () => {
    expect(sparkline([check(3.21)], 100, 20).lines).toEqual(["2,2 98,2"]);
    expect(sparkline([check(3.21)], 100, 20).summary).toBe(
      "Last check; latest response in 3.2 ms; none failed.",
    );
    expect(sparkline([check(null)], 100, 20)).toEqual({
      lines: [],
      failures: [2],
      summary: "Last check; 1 failed.",
    });
  });
});
