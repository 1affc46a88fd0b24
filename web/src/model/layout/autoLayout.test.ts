import { describe, expect, it } from "vitest";
import { newWorkflow, nodeById, type Workflow } from "../workflow/workflow";
import type { LayoutResult } from "./autoLayout";
import { computeLayout } from "./autoLayout";
import { layoutRequest, applyLayout } from "./layoutRequest";

function chain(length: number) {
  const ids = Array.from({ length }, (_, at) => `n${at}`);
  return { nodes: ids.map((id) => ({ id })), edges: ids.slice(1).map((to, at) => ({ from: ids[at]!, to })) };
}

function overlaps(places: LayoutResult): number {
  const taken = new Set(places.map(({ position }) => `${position.x} ${position.y}`));
  return places.length - taken.size;
}

describe("layout", () => {
  it("goes from left to right", () => {
    const [start, middle, end] = computeLayout(chain(3));
    expect(start!.position.x).toBeLessThan(middle!.position.x);
    expect(middle!.position.x).toBeLessThan(end!.position.x);
    expect(start!.position.y).toBe(end!.position.y);
  });

  it("leaves room for tall nodes", () => {
    const nodes = [{ id: "a" }, { id: "b", height: 300 }, { id: "c", height: 300 }];
    const places = new Map(
      computeLayout({
        nodes,
        edges: [
          { from: "a", to: "b" },
          { from: "a", to: "c" },
        ],
      }).map(({ id, position }) => [id, position]),
    );
    expect(Math.abs(places.get("b")!.y - places.get("c")!.y)).toBeGreaterThanOrEqual(300);
  });

  it("lays out the members of a group and fits the group to them", () => {
    const nodes = [
      { id: "a" },
      { id: "g", width: 10, height: 10 },
      { id: "x", parentId: "g" },
      { id: "y", parentId: "g" },
    ];
    const answer = computeLayout({
      nodes,
      edges: [
        { from: "a", to: "x" },
        { from: "x", to: "y" },
      ],
    });
    const places = new Map(answer.map((laid) => [laid.id, laid]));
    expect(places.get("x")!.position).toEqual({ x: 40, y: 74 });
    expect(places.get("y")!.position.x).toBeGreaterThan(250);
    expect(places.get("g")!.size).toEqual({ width: 630, height: 180 });
    expect(places.get("a")!.position.x + 240).toBeLessThan(places.get("g")!.position.x);
  });

  it("breaks a long chain into rows", () => {
    const places = computeLayout(chain(200));
    const rows = new Set(places.map(({ position }) => position.y));
    expect(rows.size).toBeGreaterThan(5);
    expect(Math.max(...places.map(({ position }) => position.x))).toBeLessThan(30 * 280);
    expect(overlaps(places)).toBe(0);
  });

  it("lays out very long chains and cycles", () => {
    const places = computeLayout(chain(10_000));
    expect(overlaps(places)).toBe(0);
    expect(places.every(({ position }) => Number.isFinite(position.x) && Number.isFinite(position.y))).toBe(
      true,
    );
    const round = chain(3);
    expect(computeLayout({ ...round, edges: [...round.edges, { from: "n2", to: "n0" }] })).toHaveLength(3);
  });
});

describe("applying a layout", () => {
  it("moves nodes, resizes groups, and is idempotent", () => {
    const empty = newWorkflow("a");
    const workflow: Workflow = {
      ...empty,
      nodes: [
        ...empty.nodes,
        { id: "g", type: "group", name: "G", position: { x: 9, y: 9 }, data: {} },
        { id: "in", type: "prompt", name: "In", data: {}, parentId: "g" },
      ],
      connections: [
        { id: "1", from: "start", to: "in" },
        { id: "2", from: "in", to: "end" },
      ],
    };
    const once = applyLayout(workflow, computeLayout(layoutRequest(workflow)));
    expect(nodeById(once, "g")?.style).toEqual({ width: 320, height: 180 });
    expect(applyLayout(once, computeLayout(layoutRequest(once)))).toBe(once);
    expect(
      layoutRequest({ ...workflow, nodes: workflow.nodes.filter(({ id }) => id !== "g") }).nodes.find(
        ({ id }) => id === "in",
      ),
    ).toEqual({ id: "in" });
  });
});
