import { describe, expect, it } from "vitest";
import { completeWorkflow } from "./completeWorkflow";
import { newWorkflow } from "./workflow";

describe("a document", () => {
  it("is not changed if nothing is missing", () => {
    const whole = newWorkflow("a");
    expect(completeWorkflow(whole)).toBe(whole);
  });

  it("gets the parts that it leaves out, and keeps the rest", () => {
    const bare = { name: "Two words", nodes: [{ id: "a", type: "prompt" }], author: "Ada" };
    expect(completeWorkflow(bare)).toEqual({
      id: "two-words",
      name: "Two words",
      version: "1.0.0",
      author: "Ada",
      nodes: [{ id: "a", type: "prompt", name: "a", data: {} }],
      connections: [],
    });
    const wired = { ...newWorkflow("a"), connections: [{ from: "start", to: "end" }] };
    expect(completeWorkflow(wired).connections).toEqual([{ id: "start-end-1", from: "start", to: "end" }]);
  });
});
