import { afterEach, expect, test, vi } from "vitest";
import { inferParameters } from "./parameters";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

test("values of an unknown tool get a field each", () => {
  expect(
    inferParameters({ city: "Oslo", days: 2, more: [1] }).map(({ name, type, kind }) => [name, type, kind]),
  ).toEqual([
    ["city", "string", undefined],
    ["days", "number", undefined],
    ["more", "array", "any"],
  ]);
  expect(inferParameters(undefined)).toEqual([]);
});
