import { describe, expect, it } from "vitest";
import { createHistory, endStep, recordStep, redo, undo } from "./history";

describe("history", () => {
  it("undoes and redoes step by step", () => {
    const two = recordStep(recordStep(createHistory(0), 1), 2);
    expect(undo(two).present).toBe(1);
    expect(redo(undo(undo(two))).present).toBe(1);
    expect(recordStep(undo(two), 9).future).toEqual([]);
    expect(undo(createHistory(0)).present).toBe(0);
  });

  it("merges the steps of one gesture", () => {
    const typed = recordStep(
      recordStep(recordStep(createHistory("a"), "ab", "name"), "abc", "name"),
      "abcd",
      "name",
    );
    expect(undo(typed).present).toBe("a");
    expect(undo(recordStep(endStep(typed), "x", "name")).present).toBe("abcd");
  });
});
