import { expect, test } from "vitest";
import type { Workflow } from "../workflow/workflow";
import { newWorkflow } from "../workflow/workflow";
import { NODE_SIZE } from "./geometry";
import { needsLayout } from "./imported";
import { placeNewNodes } from "./proposed";

const step = (id: string) => ({ id, type: "FLOW", name: id, data: {} });

function chain(...ids: string[]): Workflow {
  const { nodes, ...rest } = newWorkflow("mine");
  const all = ["start", ...ids, "end"];
  return {
    ...rest,
    nodes: [...nodes, ...ids.map(step)],
    connections: all.slice(1).map((to, at) => ({ id: `${at}`, from: all[at]!, to })),
  };
}

test("new nodes stand in a row, and the end makes room", () => {
  const placed = placeNewNodes(chain("a", "b", "c"));
  const x = (id: string) => placed.nodes.find((node) => node.id === id)!.position!.x;
  expect(needsLayout(placed, new Map())).toBe(false);
  expect(["start", "a", "b", "c", "end"].map(x)).toEqual(
    [...["start", "a", "b", "c", "end"].map(x)].sort((a, b) => a - b),
  );
  expect(x("a") - x("start")).toBeGreaterThan(NODE_SIZE.width);
});

test("a workflow without new nodes is the same, and a loop ends", () => {
  const complete = newWorkflow("mine");
  expect(placeNewNodes(complete)).toBe(complete);
  const loop = chain("a", "b");
  loop.connections.push({ id: "back", from: "b", to: "a" });
  expect(placeNewNodes(loop).nodes.every(({ position }) => position)).toBe(true);
});
