import { describe, expect, it } from "vitest";
import { pasteOffset } from "../layout/placement";
import { serializeSnippet, parseSnippet } from "./clipboardFormat";
import {
  connectPorts,
  copyNodes,
  groupAt,
  groupNodes,
  pasteSnippet,
  removeItems,
  dropNodes,
  withGroupContents,
} from "./edits";
import { lineAndColumn, parseWorkflow } from "./parse";
import { shareUnchanged } from "./structuralSharing";
import { newWorkflow, nodeById, type Workflow } from "./workflow";

function two(): Workflow {
  return connectPorts(newWorkflow("trip"), "start", "end");
}

describe("the clipboard", () => {
  it("carries nodes and the connections between them as text to another workflow", () => {
    const text = serializeSnippet(copyNodes(two(), new Set(["start", "end"])));
    const piece = parseSnippet(text)!;
    const { workflow, ids } = pasteSnippet(newWorkflow("other"), piece, { x: 40, y: 40 });
    expect(ids).toEqual(["start-2", "end-2"]);
    expect(workflow.nodes.map(({ name }) => name)).toEqual(["Start", "End", "Start 2", "End 2"]);
    expect(workflow.connections.map(({ from, to }) => [from, to])).toEqual([["start-2", "end-2"]]);
  });

  it("takes the nodes of a whole workflow, and nothing of other texts", () => {
    expect(parseSnippet(JSON.stringify(two()))?.nodes).toHaveLength(2);
    for (const text of [
      "",
      "hello",
      "{",
      "[]",
      "{}",
      "null",
      '{"nodes": [{"id": "a"}]}',
      '{"nodes": [{"id": "a", "type": "b", "data": {}, "position": {"x": "1"}}]}',
    ])
      expect(parseSnippet(text)).toBeNull();
  });

  it("copies groups with what they hold, frames first, and finds a place beside", () => {
    const framed = groupNodes(two(), new Set(["start", "end"]));
    const piece = copyNodes(framed.workflow, new Set([framed.id!]));
    const made = pasteSnippet(framed.workflow, piece, pasteOffset(framed.workflow, piece));
    const again = pasteSnippet(made.workflow, piece, pasteOffset(made.workflow, piece));
    expect(again.workflow.nodes.slice(0, 2).map(({ id }) => id)).toEqual(["group-3", "group-2"]);
    expect(nodeById(again.workflow, "start-3")?.parentId).toBe("group-3");
    expect(nodeById(again.workflow, "start-3")?.position).toEqual(
      nodeById(framed.workflow, "start")?.position,
    );
    expect(nodeById(again.workflow, "group-3")?.position).toEqual({ x: 40, y: 6 });
  });

  it("pastes a thousand nodes under names of their own", () => {
    const nodes = Array.from({ length: 1_000 }, (_, at) => ({
      id: `n${at}`,
      type: "prompt",
      name: "Same",
      data: {},
    }));
    const { workflow } = pasteSnippet(
      { ...newWorkflow("a"), nodes },
      { nodes, connections: [] },
      { x: 0, y: 0 },
    );
    expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(2_000);
    expect(new Set(workflow.nodes.slice(1_000).map(({ name }) => name)).size).toBe(1_000);
  });
});

describe("groups", () => {
  const framed = () => groupNodes(two(), new Set(["start"])).workflow;

  it("take in what is let go over them, and let go what is dragged out", () => {
    const inside = dropNodes(framed(), new Map([["end", { x: 20, y: 10 }]]));
    expect(nodeById(inside, "end")?.parentId).toBe("group");
    const frame = nodeById(inside, "group")!.position!;
    const out = dropNodes(inside, new Map([["end", { x: 900 - frame.x, y: 0 }]]));
    expect(nodeById(out, "end")).toMatchObject({ position: { x: 900, y: frame.y } });
    expect(nodeById(out, "end")?.parentId).toBeUndefined();
  });

  it("keep what moves along with them", () => {
    const moved = dropNodes(
      framed(),
      new Map([
        ["group", { x: 1_000, y: 0 }],
        ["start", { x: 40, y: 74 }],
      ]),
    );
    expect(nodeById(moved, "start")?.parentId).toBe("group");
  });

  it("are deleted alone or with what they hold", () => {
    const workflow = framed();
    expect(removeItems(workflow, new Set(["group"])).nodes.map(({ id }) => id)).toEqual(["start", "end"]);
    expect(
      removeItems(workflow, withGroupContents(workflow, new Set(["group"]))).nodes.map(({ id }) => id),
    ).toEqual(["end"]);
    expect(groupAt(workflow, { x: 5_000, y: 0 })).toBeNull();
  });
});

describe("the text of a workflow", () => {
  const text = (workflow: unknown) => JSON.stringify(workflow, null, 2);

  it("says where it cannot be read", () => {
    const broken = text(two()).replace('"version"', "version");
    const { fault, at } = parseWorkflow(broken);
    expect(lineAndColumn(broken, at!).line).toBe(4);
    expect(fault).toMatch(/^The canvas stays as it was: line \d+, column \d+: /);
    expect(parseWorkflow('{"a": 1').at).toBe(7);
  });

  it("points at the node or connection that is wrong, whatever stands in texts before it", () => {
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

  it("shares with the workflow before what did not change", () => {
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
