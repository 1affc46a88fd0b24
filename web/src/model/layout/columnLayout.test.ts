import { expect, test } from "vitest";
import { computeLayout } from "./autoLayout";
import { layoutInColumns } from "./columnLayout";

function wide(count: number) {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  const inner = ids.slice(1, -1);
  const edges = inner.flatMap((id) => [
    { from: "n0", to: id },
    { from: id, to: ids.at(-1)! },
  ]);
  return { nodes: ids.map((id) => ({ id })), edges };
}

test("a thousand nodes side by side do not cover each other", () => {
  const { nodes, edges } = wide(1_000);
  const places = new Map(computeLayout({ nodes, edges }).map(({ id, position }) => [id, position]));
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(1_000);
  for (const { from, to } of edges) expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x);
});

test("connections of two columns do not cross if that is possible", () => {
  const ids = ["a", "b", "c", "x", "y", "z"];
  const boxes = ids.map((id) => ({ id, width: 10, height: 10 }));
  const links = [
    { from: "a", to: "z" },
    { from: "b", to: "y" },
    { from: "c", to: "x" },
  ];
  const y = new Map(layoutInColumns(boxes, links).map(({ id, position }) => [id, position.y]));
  for (const { from, to } of links) expect(y.get(from)).toBe(y.get(to));
});

test("a loop is laid out from the node that leads into it", () => {
  const boxes = ["s", "a", "b", "c"].map((id) => ({ id, width: 10, height: 10 }));
  const links = [
    { from: "s", to: "a" },
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "c", to: "a" },
  ];
  const placed = layoutInColumns(boxes, links).toSorted((a, b) => a.position.x - b.position.x);
  expect(placed.map(({ id }) => id)).toEqual(["s", "a", "b", "c"]);
});
