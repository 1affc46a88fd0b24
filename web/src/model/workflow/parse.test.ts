import { describe, expect, it } from "vitest";
import { connectPorts } from "./edits";
import { lineAndColumn, parseWorkflow } from "./parse";
import type { Workflow } from "./workflow";
import { newWorkflow } from "./workflow";

function two(): Workflow {
  return connectPorts(newWorkflow("trip"), "start", "end");
}

describe("parsing a workflow", () => {
  it("rejects text that is not a workflow, with a reason", () => {
    expect(parseWorkflow("{").workflow).toBeNull();
    expect(parseWorkflow('{"nodes": [{}], "connections": []}').fault).toContain("node 0");
    expect(parseWorkflow(JSON.stringify(newWorkflow("a"))).fault).toBeNull();
  });
});

describe("the text of a workflow", () => {
  const text = (workflow: unknown) => JSON.stringify(workflow, null, 2);

  it("has an error position if it is invalid", () => {
    const broken = text(two()).replace('"version"', "version");
    const { fault, at } = parseWorkflow(broken);
    expect(lineAndColumn(broken, at!).line).toBe(4);
    expect(fault).toMatch(/^The canvas is unchanged: line \d+, column \d+: /);
    expect(parseWorkflow('{"a": 1').at).toBe(7);
  });

  it("has the position of an invalid node or connection", () => {
    const workflow = { ...two(), description: 'a "nodes": [ { , in words' };
    const bad = text({ ...workflow, nodes: [workflow.nodes[0], { id: "x" }] });
    const { at, fault } = parseWorkflow(bad);
    expect(bad.slice(at!).replace(/\s/g, "").startsWith('{"id":"x"}')).toBe(true);
    expect(fault).toContain("node 1 needs");
    expect(
      parseWorkflow(text({ ...workflow, nodes: [{ ...workflow.nodes[0], position: { x: 1 } }] })).fault,
    ).toContain("node 0 needs a position");
    const loose = text({ ...workflow, connections: [workflow.connections[0], {}] });
    expect(loose.slice(parseWorkflow(loose).at!).startsWith("{}")).toBe(true);
  });
});
