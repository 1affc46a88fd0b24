import { describe, expect, it } from "vitest";
import { groupNodes } from "./edits";
import { neighbour, nodeAfterRemoval } from "./navigation";
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

describe("keyboard navigation", () => {
  it("starts at the first connected node, not at a note", () => {
    expect(neighbour(chain(), null, "right")).toBe("start");
  });

  it("uses absolute positions for members of groups", () => {
    const { workflow, id } = groupNodes(chain(), new Set(["middle", "end"]));
    expect(neighbour(workflow, "note", "down")).toBe("start");
    expect(neighbour(workflow, "middle", "up")).toBe(id);
  });

  it("continues at a neighbour when a node is deleted", () => {
    const workflow = chain();
    expect(nodeAfterRemoval(workflow, new Set(["middle"]))).toBe("start");
    expect(nodeAfterRemoval(workflow, new Set(["start"]))).toBe("middle");
    expect(nodeAfterRemoval(workflow, new Set(["note"]))).toBe("start");
    expect(nodeAfterRemoval(workflow, new Set(["2"]))).toBe("middle");
    expect(nodeAfterRemoval(workflow, new Set(workflow.nodes.map(({ id }) => id)))).toBeNull();
  });
});

describe("neighbours", () => {
  it("follow connections", () => {
    const workflow = { ...newWorkflow("a"), connections: [{ id: "1", from: "start", to: "end" }] };
    expect(neighbour(workflow, "start", "right")).toBe("end");
    expect(neighbour(workflow, "end", "left")).toBe("start");
    expect(neighbour(workflow, null, "down")).toBe("start");
  });
});
