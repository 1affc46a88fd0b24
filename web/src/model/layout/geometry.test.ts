import { describe, expect, it } from "vitest";
import { specsOf } from "../workflow/catalog";
import { portsOf, sizeOf } from "./geometry";
import { mapper } from "./canvasMapping";
import { openingView } from "./initialView";
import { newWorkflow } from "../workflow/workflow";

const ports = (...names: string[]) => names.map((name) => ({ name }));

describe("geometry", () => {
  it("knows the size of a node and where its ports are", () => {
    const plain = { inputs: ports("input"), outputs: ports("output"), hasMode: false };
    expect(sizeOf(plain)).toEqual({ width: 210, height: 58 });
    expect(portsOf(plain).map(({ id, type, x, y }) => [id, type, x + 5.5, y + 5.5])).toEqual([
      ["input", "target", 1, 29],
      ["output", "source", 209, 29],
    ]);
  });

  it("grows with ways out, ways in and a mode", () => {
    const choice = { inputs: ports("input"), outputs: ports("true", "false"), hasMode: false };
    expect(sizeOf(choice).height).toBe(107);
    expect(portsOf(choice).slice(1).map(({ y }) => y + 5.5)).toEqual([70, 90]);
    expect(sizeOf({ ...choice, hasMode: true }).height).toBe(127);
    expect(sizeOf({ inputs: ports("a", "b", "c", "d"), outputs: [], hasMode: false }).height).toBe(98);
  });

  it("says sizes and ports before anything is drawn, but of a note, which is as tall as its text", () => {
    const workflow = newWorkflow("a");
    const noted = { ...workflow, nodes: [...workflow.nodes, { id: "n", type: "note", name: "", data: { content: "x" } }] };
    const [start, , note] = mapper().nodes(noted, specsOf([]));
    expect([start?.measured?.height, start?.handles.length]).toEqual([58, 1]);
    expect([note?.measured, note?.handles]).toEqual([undefined, []]);
  });
});

describe("what is in view when a workflow is opened", () => {
  const row = (count: number) => Array.from({ length: count }, (_, at) => ({ position: { x: at * 280, y: 100 }, width: 210, height: 58 }));

  it("is all of a small one, in the middle and not enlarged", () => {
    expect(openingView(row(2), 1000, 600)).toEqual({ x: 255, y: 171, zoom: 1 });
  });

  it("is the beginning of one that would be too small to read", () => {
    const { x, y, zoom } = openingView(row(100), 1000, 600);
    expect(zoom).toBe(0.7);
    expect([x, Math.round(100 * zoom + y)]).toEqual([48, 48]);
  });

  it("is something for an empty one", () => {
    expect(openingView([], 900, 600).zoom).toBe(1);
  });
});
