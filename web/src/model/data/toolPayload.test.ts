import { expect, test } from "vitest";
import { toolPayload } from "./toolPayload";

test("JSON that a tool returned as text is its data", () => {
  expect(toolPayload({ text: '{"a": 1}', json: { a: 1 }, content: [] })).toEqual({ a: 1 });
});

test("any other value is its own data", () => {
  const record = { json: 1, other: 2 };
  expect(toolPayload(record)).toBe(record);
  expect(toolPayload("text")).toBe("text");
  expect(toolPayload([1])).toEqual([1]);
});
