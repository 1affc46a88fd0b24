import { describe, expect, it } from "vitest";
import { specsByRef } from "../workflow/catalog";
import type { Workflow } from "../workflow/workflow";
import { newWorkflow } from "../workflow/workflow";
import { createMapper, nodeLabelId } from "./canvasMapping";

function chain(): Workflow {
  const empty = newWorkflow("chain");
  const note = { id: "note", type: "note", name: "Read me", position: { x: 0, y: -200 }, data: {} };
  const middle = {
    id: "middle",
    type: "mcp",
    name: "Search",
    position: { x: 260, y: 0 },
    data: { serverId: "web", toolName: "find" },
  };
  const connections = [
    { id: "1", from: "start", to: "middle" },
    { id: "2", from: "middle", to: "end" },
  ];
  return { ...empty, nodes: [note, ...empty.nodes, middle], connections };
}

describe("the canvas mapping", () => {
  it("returns the same objects for unchanged nodes", () => {
    const [map, specs, workflow] = [createMapper(), specsByRef([]), newWorkflow("a")];
    const first = map.nodes(workflow, specs);
    const moved = {
      ...workflow,
      nodes: [workflow.nodes[0]!, { ...workflow.nodes[1]!, position: { x: 1, y: 1 } }],
    };
    const second = map.nodes(moved, specs);
    expect(second[0]).toBe(first[0]);
    expect(second[1]).not.toBe(first[1]);
  });

  it("handles missing positions, duplicate ids, dangling edges and unknown groups", () => {
    const broken: Workflow = {
      ...newWorkflow("a"),
      nodes: [
        { id: "x", type: "prompt", name: "", data: {}, parentId: "gone" },
        { id: "x", type: "prompt", name: "", data: {} },
        { id: "y", type: "odd", name: "", data: {} },
      ],
      connections: [
        { id: "1", from: "x", to: "nobody" },
        { id: "2", from: "x", to: "y" },
      ],
    };
    const map = createMapper();
    expect(map.nodes(broken, specsByRef([])).map(({ id, parentId }) => [id, parentId])).toEqual([
      ["x", undefined],
      ["y", undefined],
    ]);
    expect(map.edges(broken, specsByRef([])).map(({ id }) => id)).toEqual(["2"]);
  });
});

describe("edges", () => {
  it("of unknown ports are drawn at a known one and marked", () => {
    const workflow = chain();
    const [known, unknown] = workflow.connections;
    const odd = { ...workflow, connections: [known!, { ...unknown!, fromPort: "main", toPort: "in-7" }] };
    const edges = createMapper().edges(odd, specsByRef([]));
    expect(edges.map(({ sourceHandle, targetHandle, data }) => [sourceHandle, targetHandle, data])).toEqual([
      ["output", "input", { isInvalid: false }],
      ["output", "input", { isInvalid: true }],
    ]);
  });

  it("back to a loop and out of a failed node are valid", () => {
    const node = (id: string, type: string, subtype: string) => ({ id, type, name: id, data: { subtype } });
    const entry = { ...specsByRef([]).get("prompt")!, type: "FLOW" };
    const ports = ["loop", "done"].map((name) => ({ name, description: "" }));
    const specs = specsByRef([
      { ...entry, ref: "FLOW.FOR_EACH", outputPorts: ports },
      { ...entry, ref: "ACTION.SET_FIELDS" },
    ]);
    const workflow = {
      ...chain(),
      nodes: [node("each", "FLOW", "FOR_EACH"), node("set", "ACTION", "SET_FIELDS")],
      connections: [
        { id: "1", from: "set", to: "each", fromPort: "output", toPort: "next" },
        { id: "2", from: "set", to: "each", fromPort: "error", toPort: "input" },
        { id: "3", from: "each", to: "set", fromPort: "loop", toPort: "next" },
      ],
    };
    const edges = createMapper().edges(workflow, specs);
    expect(edges.map(({ data }) => data?.isInvalid)).toEqual([false, false, true]);
  });

  it("stay the same object while a node is moved", () => {
    const [map, specs, workflow] = [createMapper(), specsByRef([]), chain()];
    const moved = workflow.nodes.map((node) => ({ ...node, position: { x: 5, y: 5 } }));
    const before = map.edges(workflow, specs);
    expect(map.edges({ ...workflow, nodes: moved }, specs)[0]).toBe(before[0]);
  });
});

describe("node labels", () => {
  const workflow = chain();

  const view = (id: string) =>
    createMapper()
      .nodes(workflow, new Map())
      .find((node) => node.id === id)!;

  it("uses element ids without spaces", () => {
    expect(nodeLabelId("my node")).toBe("node-my%20node");
    expect(view("middle").domAttributes).toEqual({ tabIndex: -1, "aria-labelledby": "node-middle" });
    expect(view("note").ariaLabel).toBe("Read me, Note");
  });
});
