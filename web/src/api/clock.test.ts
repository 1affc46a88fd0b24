import { afterEach, expect, test, vi } from "vitest";
import { serviceNow, updateClock } from "./clock";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

test("the clock of the service is used if the local one is wrong", () => {
  updateClock(new Date(1_000_000).toUTCString(), 1_000_000);
  expect(Math.abs(serviceNow() - Date.now())).toBeLessThan(1_000);
  updateClock(new Date(Date.now() + 3_600_000).toUTCString());
  expect(serviceNow() - Date.now()).toBeGreaterThan(3_500_000);
  updateClock(null);
  updateClock(new Date().toUTCString());
});
