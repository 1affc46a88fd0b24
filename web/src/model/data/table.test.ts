import { expect, test } from "vitest";
import { tableOf } from "./table";

test("a list of objects has a column for each field", () => {
  expect(tableOf([{ id: 1, tags: ["a"] }, { id: 2, name: "B" }, 7])).toEqual({
    columns: ["Item", "id", "tags", "name"],
    rows: [
      ["", "1", "1 item", ""],
      ["", "2", "", "B"],
      ["7", "", "", ""],
    ],
    hidden: 0,
  });
});

test("the only list of an object is its table, other objects list their fields", () => {
  expect(tableOf({ city: "Oslo", days: [{ high: 7 }] }).columns).toEqual(["high"]);
  expect(tableOf({ city: "Oslo", tags: ["a"] })).toMatchObject({
    columns: ["Field", "Value"],
    rows: [
      ["city", "Oslo"],
      ["tags", "1 item"],
    ],
  });
  expect(tableOf('[{"a": 1}]').rows).toEqual([["1"]]);
  expect(tableOf(Array.from({ length: 250 }, () => ({ a: 1 }))).hidden).toBe(50);
});
