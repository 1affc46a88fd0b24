import { expect, test } from "vitest";
import { isSameStep, stepText } from "./stepComparison";

const failed = (message: string) => ({ status: "failed", value: null, error: { message } });

test("two steps that failed for different reasons are different", () => {
  expect(isSameStep(failed("no such city"), failed("timed out"))).toBe(false);
  expect(isSameStep(failed("timed out"), failed("timed out"))).toBe(true);
  expect(stepText(failed("timed out"))).toBe("timed out");
});

test("large values are compared as a whole, by their digest", () => {
  const large = (digest: string) => ({ status: "success", cut: { value: { text: "aaa", digest } } });
  expect(isSameStep(large("1"), large("2"))).toBe(false);
  expect(isSameStep(large("1"), large("1"))).toBe(true);
});

test("a step that did not run is different from one that did, and has no text", () => {
  expect(isSameStep({ status: "success", value: 1 }, undefined)).toBe(false);
  expect(stepText(undefined)).toBe("");
});
