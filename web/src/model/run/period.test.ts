import { expect, test } from "vitest";
import { timeOf } from "./period";

test("a time that the service cannot read is no bound", () => {
  for (const local of ["", "20266-06-01T00:00", "275760-01-01T00:00", "0000-01-01T00:00", "x"])
    expect(timeOf(local)).toBeNull();
  expect(timeOf("2026-06-01T12:00")).toBe(new Date(2026, 5, 1, 12).toISOString());
});
