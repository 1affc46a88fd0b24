import { describe, expect, it } from "vitest";
import type { WorkflowNode } from "../workflow/workflow";
import { newWorkflow } from "../workflow/workflow";
import { fitGroups, needsLayout } from "./imported";

const step = (id: string, x: number, y: number, parentId?: string): WorkflowNode => ({
  id,
  type: "prompt",
  name: id,
  position: { x, y },
  data: {},
  ...(parentId ? { parentId } : {}),
});
const withNodes = (...nodes: WorkflowNode[]) => ({ ...newWorkflow("a"), nodes });
const SIZES = new Map([["tall", { width: 240, height: 300 }]]);
const needsLayoutOf = (...nodes: WorkflowNode[]) => needsLayout(withNodes(...nodes), SIZES);

describe("an imported workflow", () => {
  it("is laid out if its nodes cover each other or have no position", () => {
    expect(needsLayoutOf(step("a", 0, 0), step("b", 100, 20))).toBe(true);
    expect(needsLayoutOf({ id: "a", type: "prompt", name: "a", data: {} })).toBe(true);
    expect(needsLayoutOf(step("a", 0, 0), step("b", 300, 0), step("c", 0, 100))).toBe(false);
    // Positions within a group count from its corner.
    expect(needsLayoutOf(step("a", 0, 0), step("b", 0, 0, "g"))).toBe(false);
  });

  it("has groups that its nodes fit into", () => {
    const group = { id: "g", type: "group", name: "g", data: {}, style: { width: 100, height: 400 } };
    const fitted = fitGroups(withNodes(group, step("a", 300, 20, "g")), SIZES).nodes[0]!;
    expect(fitted.style!.width).toBeGreaterThan(500);
    expect(fitted.style!.height).toBe(400);
  });

  it("counts how tall nodes are", () => {
    expect(needsLayoutOf(step("tall", 0, 0), step("b", 0, 200))).toBe(true);
    expect(needsLayoutOf(step("tall", 0, 0), step("b", 0, 310))).toBe(false);
  });

  it("has groups that begin before their nodes, which stay where they are", () => {
    const group = { id: "g", type: "group", name: "g", data: {}, position: { x: 100, y: 100 } };
    const [fitted, tall, out] = fitGroups(
      withNodes(group, step("tall", 40, 60, "g"), step("out", -30, -20, "g")),
      SIZES,
    ).nodes;
    expect(fitted!.position).toEqual({ x: 30, y: 40 });
    expect([tall!.position, out!.position]).toEqual([
      { x: 110, y: 120 },
      { x: 40, y: 40 },
    ]);
    expect(fitted!.style!.height).toBeGreaterThanOrEqual(420);
  });
});
