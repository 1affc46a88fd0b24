import { expect, test } from "vitest";
import type { Workflow } from "../model/workflow/workflow";
import { InvalidInputs } from "./invalidInputs";

const workflow = { nodes: [{ id: "a" }] } as unknown as Workflow;

test("a text stays until it is corrected, or its node is gone", () => {
  const inputs = new InvalidInputs();
  inputs.set("a", "/count", { typed: "99", fault: "at most 10 is expected" });
  inputs.set("gone", "/count", { typed: "x", fault: "a number is expected" });
  expect(inputs.at("a", "/count")?.typed).toBe("99");
  expect(inputs.of(workflow).map(({ node }) => node)).toEqual(["a"]);
  inputs.set("a", "/count", null);
  expect(inputs.of(workflow)).toEqual([]);
});
