import { expect, test } from "vitest";
import { objectOf, rowFault, rowsOf, typedValue, valueText } from "./mapRows";

test("an object is the same after it was shown in rows", () => {
  const value = { Accept: "application/json", page: 2, tags: ["a", "b"], flag: false, empty: "", none: null };
  expect(objectOf(rowsOf(value))).toEqual(value);
  for (const { value: item } of rowsOf(value)) expect(typedValue(item, valueText(item))).toEqual(item);
});

test("a text stays a text though it looks like a number, a list stays a list", () => {
  expect(typedValue("1", "12")).toBe("12");
  expect(typedValue(["a"], '["a", "b"]')).toEqual(["a", "b"]);
  expect(typedValue(2, "two")).toBe("two");
});

test("a row without a name or with a name that is taken says so", () => {
  const rows = [
    { key: "a", value: "1" },
    { key: "a", value: "2" },
    { key: "", value: "3" },
    { key: "", value: "" },
  ];
  expect(rows.map((_, at) => rowFault(rows, at))).toEqual([
    "This name is used twice",
    "This name is used twice",
    "Enter a name",
    null,
  ]);
  expect(objectOf(rows)).toEqual({ a: "2" });
});
