import { describe, expect, it } from "vitest";
import { nodeLabelId, createMapper } from "./layout/canvasMapping";
import { progressMessage } from "./run/progressMessage";
import { emptyRun, applyEvent } from "./run/runState";
import { groupNodes } from "./workflow/edits";
import { nodeAfterRemoval, neighbour } from "./workflow/navigation";
import { targetTitles, describeNode } from "./workflow/nodeDescription";
import type { Workflow } from "./workflow/workflow";
import { newWorkflow } from "./workflow/workflow";

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

describe("walking", () => {
  it("begins where the work begins, not at a note", () => {
    expect(neighbour(chain(), null, "right")).toBe("start");
  });

  it("knows where a node in a group stands", () => {
    const { workflow, id } = groupNodes(chain(), new Set(["middle", "end"]));
    expect(neighbour(workflow, "note", "down")).toBe("start");
    expect(neighbour(workflow, "middle", "up")).toBe(id);
  });

  it("goes on at a neighbour when a node is deleted, and nowhere when all are", () => {
    const workflow = chain();
    expect(nodeAfterRemoval(workflow, new Set(["middle"]))).toBe("start");
    expect(nodeAfterRemoval(workflow, new Set(["start"]))).toBe("middle");
    expect(nodeAfterRemoval(workflow, new Set(["note"]))).toBe("start");
    expect(nodeAfterRemoval(workflow, new Set(["2"]))).toBe("middle");
    expect(nodeAfterRemoval(workflow, new Set(workflow.nodes.map(({ id }) => id)))).toBeNull();
  });
});

describe("words", () => {
  const workflow = chain();
  const view = (id: string) =>
    createMapper()
      .nodes(workflow, new Map())
      .find((node) => node.id === id)!;
  const plain = { state: null, errors: 0, warnings: 0, isSelected: false };

  it("says what a node is, how it stands and where it leads", () => {
    const standing = {
      state: "failed",
      errors: 2,
      warnings: 1,
      isSelected: true,
      leadsTo: targetTitles(workflow, "middle"),
    };
    expect(describeNode(view("middle").data, standing)).toBe(
      "Search, MCP tool find of server web, selected, failed, 2 problems, 1 warning, leads to End",
    );
    expect(describeNode(view("end").data, { ...plain, leadsTo: targetTitles(workflow, "end") })).toBe("End");
    expect(describeNode(view("start").data, { ...plain, leadsTo: [] })).toBe("Start, leads nowhere");
  });

  it("names nodes by ids that hold no blank", () => {
    expect(nodeLabelId("my node")).toBe("node-my%20node");
    expect(view("middle").domAttributes).toEqual({ tabIndex: -1, "aria-labelledby": "node-middle" });
    expect(view("note").ariaLabel).toBe("Read me, Note");
  });

  it("tells of a run what a person waits for, and each thing once", () => {
    const titles = new Map([["a", "Search"]]);
    const at = "2026-01-01T00:00:00Z";
    const events = (...kinds: object[]) =>
      kinds.map((event, index) => ({ seq: index + 1, at, ...event }) as never);
    const begun = events({ type: "started" }, { type: "step_started", key: "a", attempt: 1 }).reduce(
      applyEvent,
      emptyRun("r"),
    );
    const first = progressMessage(null, begun, titles);
    expect(first.words).toBe("Run running");
    expect(progressMessage(first.told, begun, titles).words).toBe("");
    const failed = {
      ...begun,
      status: "failed" as const,
      finishedAt: "2026-01-01T00:00:02Z",
      steps: { a: { ...begun.steps["a"]!, status: "failed" as const } },
    };
    const last = progressMessage(first.told, failed, titles);
    expect(last.words).toBe("Search failed. Run failed, 1 step in 2.0 s");
    expect(progressMessage(last.told, failed, titles).words).toBe("");
  });
});
