import { describe, expect, it } from "vitest";
import { specsByRef } from "../workflow/catalog";
import { newWorkflow } from "../workflow/workflow";
import { createMapper } from "./canvasMapping";
import { portPositions, nodeSize } from "./geometry";
import { initialView, NAMES_ONLY_ZOOM } from "./initialView";

const ports = (...names: string[]) => names.map((name) => ({ name }));

describe("geometry", () => {
  it("computes the size of a node and the positions of its ports", () => {
    const plain = { inputs: ports("input"), outputs: ports("output"), hasMode: false, isPill: false };
    expect(nodeSize(plain)).toEqual({ width: 240, height: 66 });
    expect(portPositions(plain).map(({ id, type, x, y }) => [id, type, x + 6, y + 6])).toEqual([
      ["input", "target", 1, 33],
      ["output", "source", 239, 33],
    ]);
  });

  it("draws start and end narrower, with ports at the same height", () => {
    const pill = { inputs: [], outputs: ports("output"), hasMode: false, isPill: true };
    expect(nodeSize(pill)).toEqual({ width: 120, height: 66 });
    expect(portPositions(pill).map(({ x, y }) => [x + 6, y + 6])).toEqual([[119, 33]]);
  });

  it("grows with outputs, inputs and a mode", () => {
    const choice = { inputs: ports("input"), outputs: ports("true", "false"), hasMode: false, isPill: false };
    expect(nodeSize(choice).height).toBe(119);
    expect(
      portPositions(choice)
        .slice(1)
        .map(({ y }) => y + 6),
    ).toEqual([79, 101]);
    expect(nodeSize({ ...choice, hasMode: true }).height).toBe(139);
    expect(
      nodeSize({ inputs: ports("a", "b", "c", "d"), outputs: [], hasMode: false, isPill: false }).height,
    ).toBe(108);
  });

  it("knows all sizes and ports in advance, except the height of notes", () => {
    const workflow = newWorkflow("a");
    const noted = {
      ...workflow,
      nodes: [...workflow.nodes, { id: "n", type: "note", name: "", data: { content: "x" } }],
    };
    const [start, , note] = createMapper().nodes(noted, specsByRef([]));
    expect([start?.measured?.height, start?.handles.length]).toEqual([66, 1]);
    expect([note?.measured, note?.handles]).toEqual([undefined, []]);
  });
});

describe("the initial view", () => {
  const row = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ position: { x: at * 280, y: 100 }, width: 210, height: 58 }));

  it("shows all of a small workflow, centered and not enlarged", () => {
    expect(initialView(row(2), 1000, 600)).toEqual({ x: 255, y: 171, zoom: 1 });
  });

  it("shows all of five nodes between two panels, with room at the edges", () => {
    const { x, zoom } = initialView(row(5), 776, 852);
    expect(zoom).toBeLessThan(NAMES_ONLY_ZOOM);
    expect(Math.round(x)).toBe(24);
    expect(Math.round(x + (4 * 280 + 210) * zoom)).toBe(776 - 24);
  });

  it("shows the first nodes of a workflow that would be too small to read", () => {
    const { x, y, zoom } = initialView(row(100), 1000, 600);
    expect(zoom).toBe(0.75);
    expect([x, Math.round(100 * zoom + y)]).toEqual([48, 278]);
  });

  it("is defined for an empty workflow", () => {
    expect(initialView([], 900, 600).zoom).toBe(1);
  });
});
