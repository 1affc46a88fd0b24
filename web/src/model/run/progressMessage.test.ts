import { describe, expect, it } from "vitest";
import { progressMessage } from "./progressMessage";
import { applyEvent, emptyRun } from "./runState";

describe("the progress message", () => {
  it("reports each change once", () => {
    const titles = new Map([["a", "Search"]]);
    const at = "2026-01-01T00:00:00Z";
    const events = (...kinds: object[]) =>
      kinds.map((event, index) => ({ seq: index + 1, at, ...event }) as never);
    const begun = events({ type: "started" }, { type: "step_started", key: "a", attempt: 1 }).reduce(
      applyEvent,
      emptyRun("r"),
    );
    const first = progressMessage(null, begun, titles);
    expect(first.words).toBe("Run running");
    expect(progressMessage(first.told, begun, titles).words).toBe("");
    const failed = {
      ...begun,
      status: "failed" as const,
      finishedAt: "2026-01-01T00:00:02Z",
      steps: { a: { ...begun.steps["a"]!, status: "failed" as const } },
    };
    const last = progressMessage(first.told, failed, titles);
    expect(last.words).toBe("Search failed. Run failed, 1 step in 2.0 s");
    expect(progressMessage(last.told, failed, titles).words).toBe("");
  });
});
