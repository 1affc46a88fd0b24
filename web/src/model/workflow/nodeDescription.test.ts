import { describe, expect, it } from "vitest";
import { createMapper } from "../layout/canvasMapping";
import { describeNode, targetTitles } from "./nodeDescription";
import type { Workflow } from "./workflow";
import { newWorkflow } from "./workflow";

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

describe("the description of a node", () => {
  const workflow = chain();

  const view = (id: string) =>
    createMapper()
      .nodes(workflow, new Map())
      .find((node) => node.id === id)!;

  const plain = { state: null, errors: 0, warnings: 0, isSelected: false };

  it("contains the type, status, problems and successors", () => {
    const standing = {
      state: "failed",
      errors: 2,
      warnings: 1,
      isSelected: true,
      leadsTo: targetTitles(workflow, "middle"),
    };
    expect(describeNode(view("middle").data, standing)).toBe(
      "Search, MCP tool find of server web, selected, failed, 2 problems, 1 warning, connected to End",
    );
    expect(describeNode(view("end").data, { ...plain, leadsTo: targetTitles(workflow, "end") })).toBe("End");
    expect(describeNode(view("start").data, { ...plain, leadsTo: [] })).toBe(
      "Start, not connected to a next node",
    );
  });
});
