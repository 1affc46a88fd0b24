import { describe, expect, it } from "vitest";
import { diffWorkflows } from "./diff";
import { newWorkflow } from "./workflow";

describe("the difference of two workflows", () => {
  it("lists added and changed nodes", () => {
    const mine = newWorkflow("a");
    const theirs = { ...mine, nodes: [{ ...mine.nodes[0]!, name: "Begin" }] };
    expect(diffWorkflows(mine, theirs).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
      "changed node Start",
      "added node End",
    ]);
    expect(diffWorkflows(mine, mine)).toEqual([]);
  });
});
