import { describe, expect, it } from "vitest";
import { BUILT_IN_STEPS, specsByRef } from "./catalog";
import { fitsPoint, insertAfter, insertAt } from "./insertion";
import { connectPorts } from "./edits";
import type { Workflow } from "./workflow";
import { newWorkflow, nodeById } from "./workflow";

const specs = specsByRef([]);
const prompt = BUILT_IN_STEPS.find(({ type }) => type === "prompt")!;
const connected = connectPorts(newWorkflow("a"), "start", "end");
const pairs = ({ connections }: Workflow) => connections.map(({ from, to }) => `${from} ${to}`);

describe("a new node", () => {
  it("is inserted into a connection, and what follows makes room", () => {
    const edge = connected.connections[0]!.id;
    const { workflow, id } = insertAt(connected, prompt, { kind: "edge", edge }, specs);
    expect(pairs(workflow)).toEqual([`start ${id}`, `${id} end`]);
    const [node, end] = [nodeById(workflow, id)!, nodeById(workflow, "end")!];
    expect(node.position!.x).toBeGreaterThanOrEqual(240);
    expect(end.position!.x - node.position!.x).toBeGreaterThanOrEqual(300);
  });

  it("moves what it would cover to its right", () => {
    const at = { x: 430, y: 33 };
    const point = { kind: "from", node: "start", port: "output", at } as const;
    const { workflow, id } = insertAt(newWorkflow("a"), prompt, point, specs);
    const [node, end] = [nodeById(workflow, id)!, nodeById(workflow, "end")!];
    expect(end.position!.x - node.position!.x).toBeGreaterThanOrEqual(300);
    expect(nodeById(workflow, "start")!.position).toEqual({ x: 0, y: 0 });
  });

  it("has the end that it leads to at its right, also when it is dropped below it", () => {
    const point = { kind: "from", node: "start", port: "output", at: { x: 300, y: 200 } } as const;
    const { workflow, id } = insertAt(newWorkflow("a"), prompt, point, specs);
    const [node, end] = [nodeById(workflow, id)!, nodeById(workflow, "end")!];
    expect(end.position!.x - node.position!.x).toBeGreaterThanOrEqual(300);
    expect(end.position!.y).toBe(0);
  });

  it("is connected to the port that a connection was dragged from, in either direction", () => {
    const at = { x: 300, y: 200 };
    const after = insertAt(
      newWorkflow("a"),
      prompt,
      { kind: "from", node: "start", port: "output", at },
      specs,
    );
    // The end that nothing leads to comes after it.
    expect(pairs(after.workflow)).toEqual(["start prompt", "prompt end"]);
    expect(nodeById(after.workflow, after.id)!.position).toEqual({ x: 310, y: 170 });
    const before = insertAt(newWorkflow("a"), prompt, { kind: "to", node: "end", port: "input", at }, specs);
    expect(pairs(before.workflow)).toEqual(["prompt end"]);
  });

  it("comes before the end if the port led there, and beside anything else", () => {
    const from = { kind: "from", node: "start", port: "output", at: { x: 300, y: 200 } } as const;
    const first = insertAt(connected, prompt, from, specs);
    expect(pairs(first.workflow)).toEqual(["start prompt", "prompt end"]);
    const second = insertAt(first.workflow, prompt, from, specs);
    expect(pairs(second.workflow)).toEqual(["start prompt", "prompt end", "start prompt-2"]);
  });

  it("goes before the end, on every way of a decision", () => {
    const between = insertAfter(connected, prompt, nodeById(connected, "start")!, specs);
    expect(pairs(between!.workflow)).toEqual(["start prompt", "prompt end"]);
    expect(insertAfter(newWorkflow("a"), prompt, nodeById(connected, "start")!, specs)).toBeNull();
    const ask = BUILT_IN_STEPS.find(({ type }) => type === "askUserQuestion")!;
    const asked = insertAfter(connected, ask, nodeById(connected, "start")!, specs)!;
    const point = { kind: "from", node: asked.id, port: "branch-1", at: { x: 900, y: 400 } } as const;
    const { workflow, id } = insertAt(asked.workflow, prompt, point, specs);
    expect(pairs(workflow)).toEqual([
      `start ${asked.id}`,
      `${asked.id} end`,
      `${asked.id} ${id}`,
      `${id} end`,
    ]);
  });

  it("is offered only where it can be connected", () => {
    const offered = (point: Parameters<typeof fitsPoint>[1]) =>
      BUILT_IN_STEPS.filter((entry) => fitsPoint(entry, point)).map(({ type }) => type);
    expect(offered({ kind: "edge", edge: "1" })).toEqual(["prompt", "askUserQuestion"]);
    expect(offered({ kind: "from", node: "a", port: "output", at: { x: 0, y: 0 } })).toContain("end");
    expect(offered({ kind: "place", at: { x: 0, y: 0 } })).toHaveLength(BUILT_IN_STEPS.length);
  });
});
