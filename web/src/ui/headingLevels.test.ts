import { expect, test } from "vitest";
import { headingLevels } from "./headingLevels";

const levels = (...given: number[]) => headingLevels(given.map((level) => ({ kind: "heading", level })));

test("the headings of a text begin at the second level and skip none", () => {
  expect(levels(3)).toEqual([2]);
  expect(levels(1, 3, 3, 1, 2)).toEqual([2, 3, 3, 2, 3]);
  expect(levels(3, 1, 6)).toEqual([2, 2, 3]);
  expect(headingLevels([{ kind: "paragraph" }, { kind: "heading", level: 2 }])).toEqual([0, 2]);
});
