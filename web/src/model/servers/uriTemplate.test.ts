import { expect, test } from "vitest";
import { templateVariables } from "./uriTemplate";

test("the variables of an address are named once, in order", () => {
  expect(templateVariables("notes://day/{date}")).toEqual(["date"]);
  expect(templateVariables("repo://{owner}/{+path}{?ref,owner}")).toEqual(["owner", "path", "ref"]);
  expect(templateVariables("notes://today")).toEqual([]);
});
