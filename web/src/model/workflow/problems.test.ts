import { describe, expect, it } from "vitest";
import { isActionable, nodeAtPointer, sortProblems } from "./problems";
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

  it("are not listed if nobody who edits the workflow can act on them", () => {
    const problem = { code: "TEXT_TOO_LONG", severity: "warning" as const, message: "" };
    const named = { name: "Work in parts" };
    expect(isActionable({ ...problem, pointer: "/nodes/3/data/toolDescription" }, named)).toBe(false);
    expect(isActionable({ ...problem, pointer: "/nodes/3/data/prompt" }, named)).toBe(true);
    const unusual = { ...problem, code: "WORKFLOW_NAME_UNUSUAL", pointer: "/name" };
    expect(isActionable(unusual, named)).toBe(false);
    expect(isActionable(unusual, { name: "" })).toBe(true);
    expect(isActionable({ ...unusual, pointer: "/version" }, named)).toBe(true);
  });

  it("are listed with errors first, then in the order of the nodes", () => {
    const problem = (pointer: string, severity: "error" | "warning") => ({
      code: "X",
      severity,
      pointer,
      message: "",
    });
    const listed = sortProblems(newWorkflow("a"), [
      problem("/name", "error"),
      problem("/nodes/0", "warning"),
      problem("/nodes/1", "error"),
      problem("/nodes/0", "error"),
    ]);
    expect(listed.map(({ pointer, severity }) => `${severity} ${pointer}`)).toEqual([
      "error /nodes/0",
      "error /nodes/1",
      "error /name",
      "warning /nodes/0",
    ]);
  });
});
