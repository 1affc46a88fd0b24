import { expect, test } from "vitest";
import { overviewState } from "./overview";

const VIEW = { left: 0, top: 0, width: 800, height: 600 };
const MAP = { left: 635, top: 489, width: 150, height: 96 };
const at = (left: number, top: number) => ({ left, top, width: 200, height: 60 });

test.each([
  ["needless", [at(10, 10), at(590, 500)]],
  ["free", [at(10, 10), at(700, 10)]],
  ["covering", [at(-50, 10), at(500, 450)]],
  ["free", [at(-50, 10), at(500, 429)]],
  ["needless", []],
])("the map is %s", (state, nodes) => {
  expect(overviewState(nodes, VIEW, MAP)).toBe(state);
});
