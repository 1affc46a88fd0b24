import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "./catalog";
import { BUILT_IN_STEPS, outputPorts, specsByRef } from "./catalog";

const choice: CatalogEntry = {
  ...BUILT_IN_STEPS[2]!,
  ref: "FLOW.IF",
  type: "FLOW",
  subtype: "IF",
  outputPorts: [
    { name: "true", description: "" },
    { name: "false", description: "" },
  ],
};

describe("the catalog", () => {
  it("lists the output ports of branches and questions", () => {
    const specs = specsByRef([choice]);
    expect(outputPorts({ id: "a", type: "FLOW", name: "a", data: { subtype: "IF" } }, specs)).toEqual([
      "true",
      "false",
    ]);
    const asks = {
      id: "q",
      type: "askUserQuestion",
      name: "q",
      data: { options: [{ label: "Yes" }, { label: "No" }] },
    };
    expect(outputPorts(asks, specs)).toEqual(["branch-0", "branch-1"]);
  });
});
