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

describe("an imported workflow", () => {
  it("is laid out if its nodes cover each other or have no position", () => {
    expect(needsLayout(withNodes(step("a", 0, 0), step("b", 100, 20)))).toBe(true);
    expect(needsLayout(withNodes({ id: "a", type: "prompt", name: "a", data: {} }))).toBe(true);
    expect(needsLayout(withNodes(step("a", 0, 0), step("b", 300, 0), step("c", 0, 100)))).toBe(false);
    // Positions within a group count from its corner.
    expect(needsLayout(withNodes(step("a", 0, 0), step("b", 0, 0, "g")))).toBe(false);
  });

  it("has groups that its nodes fit into", () => {
    const group = { id: "g", type: "group", name: "g", data: {}, style: { width: 100, height: 400 } };
    const fitted = fitGroups(withNodes(group, step("a", 300, 20, "g"))).nodes[0]!;
    expect(fitted.style!.width).toBeGreaterThan(500);
    expect(fitted.style!.height).toBe(400);
  });
});
