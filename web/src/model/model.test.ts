import { describe, expect, it } from "vitest";
import { createMapper } from "./layout/canvasMapping";
import { emptyRun, statusOfNode, applyEvent, applyEvents, type RunEvent } from "./run/runState";
import { escapeHidden } from "./text/formatValue";
import {
  BUILT_IN_STEPS,
  entryTitle,
  outputPorts,
  searchEntries,
  specsByRef,
  type CatalogEntry,
} from "./workflow/catalog";
import { diffWorkflows } from "./workflow/diff";
import { createHistory, redo, endStep, recordStep, undo } from "./workflow/history";
import { neighbour } from "./workflow/navigation";
import { parseWorkflow } from "./workflow/parse";
import { nodeAtPointer } from "./workflow/problems";
import { newWorkflow, type Workflow } from "./workflow/workflow";

const tool: CatalogEntry = {
  ...BUILT_IN_STEPS[2]!,
  ref: "TOOL.MCP:demo/add",
  type: "TOOL",
  subtype: "MCP:demo/add",
  server: "demo",
  tool: "add",
  summary: "Adds.",
};
const choice: CatalogEntry = {
  ...BUILT_IN_STEPS[2]!,
  ref: "FLOW.IF",
  type: "FLOW",
  subtype: "IF",
  outputPorts: [
    { name: "true", description: "" },
    { name: "false", description: "" },
  ],
};

describe("history", () => {
  it("undoes and redoes step by step", () => {
    const two = recordStep(recordStep(createHistory(0), 1), 2);
    expect(undo(two).present).toBe(1);
    expect(redo(undo(undo(two))).present).toBe(1);
    expect(recordStep(undo(two), 9).future).toEqual([]);
    expect(undo(createHistory(0)).present).toBe(0);
  });

  it("takes the steps of one gesture as one", () => {
    const typed = recordStep(
      recordStep(recordStep(createHistory("a"), "ab", "name"), "abc", "name"),
      "abcd",
      "name",
    );
    expect(undo(typed).present).toBe("a");
    expect(undo(recordStep(endStep(typed), "x", "name")).present).toBe("abcd");
  });
});

describe("catalog", () => {
  it("finds by name before words of the summary", () => {
    const found = searchEntries([...BUILT_IN_STEPS, choice, tool], "add");
    expect(found[0]).toBe(tool);
    expect(searchEntries([choice, tool], "demo").map(entryTitle)).toEqual(["add"]);
  });

  it("knows the ways out of choices and questions", () => {
    const specs = specsByRef([choice]);
    expect(outputPorts({ id: "a", type: "FLOW", name: "a", data: { subtype: "IF" } }, specs)).toEqual([
      "true",
      "false",
    ]);
    const asks = {
      id: "q",
      type: "askUserQuestion",
      name: "q",
      data: { options: [{ label: "Yes" }, { label: "No" }] },
    };
    expect(outputPorts(asks, specs)).toEqual(["branch-0", "branch-1"]);
  });
});

describe("mapping", () => {
  it("gives the same objects for what did not change", () => {
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

  it("draws what a broken file has: no places, two of one id, edges to nowhere, lost groups", () => {
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
    expect(map.edges(broken).map(({ id }) => id)).toEqual(["2"]);
  });
});

describe("runs", () => {
  const events: RunEvent[] = [
    { type: "started", seq: 1, at: "2026-01-01T00:00:00Z", inputs: {} },
    { type: "computed", seq: 2, at: "2026-01-01T00:00:01Z", steps: [["start", 0]], values: [{ a: 1 }] },
    { type: "step_started", seq: 3, at: "2026-01-01T00:00:01Z", key: "fetch" },
    {
      type: "step_failed",
      seq: 4,
      at: "2026-01-01T00:00:02Z",
      key: "fetch",
      code: "X",
      message: "no",
      retry_at: "2026-01-01T00:00:03Z",
    },
    { type: "step_started", seq: 5, at: "2026-01-01T00:00:03Z", key: "fetch", attempt: 2 },
    { type: "step_finished", seq: 6, at: "2026-01-01T00:00:04Z", key: "fetch", value: 7 },
    { type: "step_started", seq: 7, at: "2026-01-01T00:00:04Z", key: "loop#1/send" },
    { type: "finished", seq: 8, at: "2026-01-01T00:00:05Z", status: "failed", error: { message: "x" } },
  ];

  it("folds events to how nodes stand, with every try", () => {
    const run = events.reduce(applyEvent, emptyRun("r"));
    expect(run.steps["fetch"]).toMatchObject({
      status: "success",
      value: 7,
      finishedAt: "2026-01-01T00:00:04Z",
    });
    expect(run.steps["fetch"]!.attempts.map((attempt) => attempt.error?.code ?? null)).toEqual(["X", null]);
    expect(statusOfNode(run, "send")).toBe("cancelled");
    expect(run.status).toBe("failed");
  });

  it("takes many events at once, tells which nodes they touched, and leaves the run before as it was", () => {
    const before = events.slice(0, 3).reduce(applyEvent, emptyRun("r"));
    const { run, touched } = applyEvents(before, events.slice(3));
    expect(run).toEqual(events.reduce(applyEvent, emptyRun("r")));
    expect([...touched].sort()).toEqual(["fetch", "send"]);
    expect([before.status, before.order, before.stepsOfNode["fetch"], before.steps["fetch"]!.status]).toEqual(
      ["running", ["start", "fetch"], ["fetch"], "running"],
    );
  });

  it("sees no event twice when a stream is taken up again", () => {
    const once = events.reduce(applyEvent, emptyRun("r"));
    expect(events.reduce(applyEvent, once)).toBe(once);
  });
});

describe("the rest", () => {
  it("tells what differs between two versions", () => {
    const mine = newWorkflow("a");
    const theirs = { ...mine, nodes: [{ ...mine.nodes[0]!, name: "Begin" }] };
    expect(diffWorkflows(mine, theirs).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
      "changed node Start",
      "added node End",
    ]);
    expect(diffWorkflows(mine, mine)).toEqual([]);
  });

  it("refuses text that cannot be drawn, with a reason", () => {
    expect(parseWorkflow("{").workflow).toBeNull();
    expect(parseWorkflow('{"nodes": [{}], "connections": []}').fault).toContain("node 0");
    expect(parseWorkflow(JSON.stringify(newWorkflow("a"))).fault).toBeNull();
  });

  it("walks along connections", () => {
    const workflow = { ...newWorkflow("a"), connections: [{ id: "1", from: "start", to: "end" }] };
    expect(neighbour(workflow, "start", "right")).toBe("end");
    expect(neighbour(workflow, "end", "left")).toBe("start");
    expect(neighbour(workflow, null, "down")).toBe("start");
  });

  it("escapes what a reader could not see", () => {
    expect(escapeHidden("a\u202eb\u200b")).toBe("a⟨U+202E⟩b⟨U+200B⟩");
  });

  it("finds the node of a pointer", () => {
    const workflow = { ...newWorkflow("a"), connections: [{ id: "1", from: "start", to: "end" }] };
    expect([
      nodeAtPointer(workflow, "/nodes/1/data"),
      nodeAtPointer(workflow, "/connections/0/to"),
      nodeAtPointer(workflow, "/name"),
    ]).toEqual(["end", "start", null]);
  });
});
