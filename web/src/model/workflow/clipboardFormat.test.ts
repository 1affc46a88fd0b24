import { describe, expect, it } from "vitest";
import { pasteOffset } from "../layout/placement";
import { parseSnippet, serializeSnippet } from "./clipboardFormat";
import { connectPorts, copyNodes, groupNodes, pasteSnippet } from "./edits";
import type { Workflow } from "./workflow";
import { newWorkflow, nodeById } from "./workflow";

function two(): Workflow {
  return connectPorts(newWorkflow("trip"), "start", "end");
}

describe("the clipboard", () => {
  it("transfers nodes and their connections as text", () => {
    const text = serializeSnippet(copyNodes(two(), new Set(["start", "end"])));
    const piece = parseSnippet(text)!;
    const { workflow, ids } = pasteSnippet(newWorkflow("other"), piece, { x: 40, y: 40 });
    expect(ids).toEqual(["start-2", "end-2"]);
    expect(workflow.nodes.map(({ name }) => name)).toEqual(["Start", "End", "Start 2", "End 2"]);
    expect(workflow.connections.map(({ from, to }) => [from, to])).toEqual([["start-2", "end-2"]]);
  });

  it("accepts a whole workflow, and rejects other texts", () => {
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

  it("copies groups with their members, groups first, at a free position", () => {
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

  it("pastes a thousand nodes with unique names", () => {
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
