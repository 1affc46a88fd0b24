import { expect, test } from "vitest";
import { shortTime } from "./timeText";

test("a time says no more than a reader needs today", () => {
  const now = new Date(2026, 10, 18, 17, 0);
  const at = (...parts: [number, number, number, number, number]) =>
    shortTime(new Date(...parts).toISOString(), now);
  expect(at(2026, 10, 18, 9, 5)).toMatch(/^0?9[:.]05/);
  expect(at(2026, 10, 18, 9, 5)).not.toContain("2026");
  expect(at(2026, 10, 17, 9, 5)).toMatch(/17.*9[:.]05/);
  expect(at(2025, 10, 17, 9, 5)).toContain("2025");
});
