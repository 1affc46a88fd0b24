import { describe, expect, it } from "vitest";
import { connectPorts } from "./edits";
import { shareUnchanged } from "./structuralSharing";
import type { Workflow } from "./workflow";
import { newWorkflow } from "./workflow";

function two(): Workflow {
  return connectPorts(newWorkflow("trip"), "start", "end");
}

describe("structural sharing", () => {
  it("reuses the unchanged parts of the previous workflow", () => {
    const before = two();
    expect(shareUnchanged(before, JSON.parse(JSON.stringify(before)) as Workflow)).toBe(before);
    const renamed = JSON.parse(JSON.stringify(before).replace('"End"', '"Done"')) as Workflow;
    const after = shareUnchanged(before, renamed);
    expect([
      after.nodes[0] === before.nodes[0],
      after.nodes[1] === before.nodes[1],
      after.connections === before.connections,
    ]).toEqual([true, false, true]);
  });
});
