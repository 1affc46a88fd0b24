import { afterEach, expect, test, vi } from "vitest";
import { parseRoute } from "./route";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

test("a route is read from the fragment of the address", () => {
  expect(parseRoute("#/w/a%20b?run")).toMatchObject({ page: "w", rest: ["a b"] });
  expect(parseRoute("").page).toBe("");
});

test("a malformed address is kept as it is", () => {
  expect(parseRoute("#/w/%E0%A4").rest).toEqual(["%E0%A4"]);
  expect(parseRoute("#/w/a%20b").rest).toEqual(["a b"]);
});
