import { describe, expect, it } from "vitest";
import { BUILT_IN_STEPS, specsByRef } from "./catalog";
import {
  addNode,
  connectPorts,
  connectNodes,
  copyNodes,
  groupNodes,
  moveNodes,
  createNode,
  pasteSnippet,
  removeItems,
  moveToGroup,
  ungroupNodes,
  unusedStart,
} from "./edits";
import type { Workflow } from "./workflow";
import { newWorkflow, nodeById } from "./workflow";

const specs = specsByRef([]);
const prompt = BUILT_IN_STEPS.find((entry) => entry.ref === "prompt")!;

function three(): Workflow {
  const empty = newWorkflow("trip");
  const grown = addNode(empty, createNode(empty, prompt, { x: 203, y: 98 }));
  return connectPorts(connectPorts(grown, "start", "prompt"), "prompt", "end");
}

describe("edits", () => {
  it("adds a node on the grid with a unique id", () => {
    const workflow = three();
    const again = createNode(workflow, prompt, { x: 0, y: 0 });
    expect(nodeById(workflow, "prompt")?.position).toEqual({ x: 200, y: 100 });
    expect([again.id, again.name]).toEqual(["prompt-2", "Prompt 2"]);
  });

  it("gives a schedule a time in the zone of the user", () => {
    const cron = { ...BUILT_IN_STEPS[0]!, ref: "TRIGGER.CRON", type: "TRIGGER", subtype: "CRON" };
    const { name, data } = createNode(newWorkflow("w"), cron, { x: 0, y: 0 });
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(name).toBe("Schedule");
    expect(data["configurations"]).toEqual({ cron_expression: "0 9 * * 1-5", timezone });
  });

  it("gives a webhook a path, and knows a start that is not used", () => {
    const hook = { ...BUILT_IN_STEPS[0]!, ref: "TRIGGER.WEBHOOK", type: "TRIGGER", subtype: "WEBHOOK" };
    const { data } = createNode(newWorkflow("My orders"), hook, { x: 0, y: 0 });
    expect(JSON.stringify(data)).toMatch(/"webhook_path":"\/my-orders-[0-9a-f]{6}"/);
    expect(unusedStart(newWorkflow("a"))?.id).toBe("start");
    expect(unusedStart(connectPorts(newWorkflow("a"), "start", "end"))).toBeUndefined();
    expect(unusedStart({ ...newWorkflow("a"), inputSchema: {} })).toBeUndefined();
  });

  it("connects two nodes once, and never a node with itself", () => {
    const workflow = three();
    expect(connectPorts(workflow, "start", "prompt")).toBe(workflow);
    expect(connectPorts(workflow, "prompt", "prompt")).toBe(workflow);
    expect(connectNodes(workflow, "end", "prompt", specs)).toBe(workflow);
  });

  it("removes a node with its connections and leaves the rest alone", () => {
    const workflow = three();
    const rest = removeItems(workflow, new Set(["prompt"]));
    expect(rest.nodes.map(({ id }) => id)).toEqual(["start", "end"]);
    expect(rest.connections).toEqual([]);
    expect(rest.nodes[0]).toBe(workflow.nodes[0]);
    expect(removeItems(workflow, new Set(["nobody"]))).toBe(workflow);
  });

  it("groups and ungroups without moving nodes", () => {
    const workflow = three();
    const framed = groupNodes(workflow, new Set(["start", "prompt"]));
    expect(framed.workflow.nodes[0]?.type).toBe("group");
    expect(nodeById(framed.workflow, "prompt")?.parentId).toBe(framed.id);
    const back = ungroupNodes(framed.workflow, new Set([framed.id!]));
    expect(back.nodes.map(({ id, position }) => [id, position])).toEqual(
      workflow.nodes.map(({ id, position }) => [id, position]),
    );
  });

  it("moves a node between groups without moving it on the screen", () => {
    const { workflow, id } = groupNodes(three(), new Set(["start"]));
    const moved = moveToGroup(workflow, "prompt", id);
    const frame = nodeById(moved, id!)!.position!;
    const inside = nodeById(moved, "prompt")!;
    expect([inside.position!.x + frame.x, inside.position!.y + frame.y]).toEqual([200, 100]);
    expect(nodeById(moveToGroup(moved, "prompt", null), "prompt")?.position).toEqual({ x: 200, y: 100 });
  });

  it("pastes copies with their own ids and connections", () => {
    const workflow = three();
    const made = pasteSnippet(workflow, copyNodes(workflow, new Set(["start", "prompt"])), { x: 40, y: 40 });
    expect(made.ids).toEqual(["start-2", "prompt-2"]);
    const copy = made.workflow.connections.at(-1)!;
    expect([copy.from, copy.to]).toEqual(["start-2", "prompt-2"]);
    expect(new Set(made.workflow.connections.map(({ id }) => id)).size).toBe(3);
  });

  it("keeps the workflow itself when nothing moved", () => {
    const workflow = three();
    expect(moveNodes(workflow, new Map([["start", { x: 0, y: 0 }]]))).toBe(workflow);
  });
});
