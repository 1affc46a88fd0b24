import { describe, expect, it } from "vitest";
import { nodeAtPointer } from "./problems";
import { newWorkflow } from "./workflow";

describe("problems", () => {
  it("are assigned to nodes by their pointer", () => {
    const workflow = { ...newWorkflow("a"), connections: [{ id: "1", from: "start", to: "end" }] };
    expect([
      nodeAtPointer(workflow, "/nodes/1/data"),
      nodeAtPointer(workflow, "/connections/0/to"),
      nodeAtPointer(workflow, "/name"),
    ]).toEqual(["end", "start", null]);
  });
});
