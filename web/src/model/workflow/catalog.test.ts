import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "./catalog";
import { BUILT_IN_STEPS, initialData, outputPorts, portLabel, specsByRef } from "./catalog";
import type { Json } from "./workflow";

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

  it("gives a switch a port for each of its cases, named by the condition", () => {
    const names = [...Array.from({ length: 16 }, (_, at) => `case-${at}`), "default"];
    const ports = names.map((name) => ({ name, description: "" }));
    const spec = { ...choice, ref: "FLOW.SWITCH", subtype: "SWITCH", outputPorts: ports };
    const node = (configurations: Json) => ({
      ...{ id: "s", type: "FLOW", name: "s" },
      data: { subtype: "SWITCH", configurations },
    });
    const portsOf = (configurations: Json) => outputPorts(node(configurations), specsByRef([spec]));
    expect(portsOf({})).toEqual(["case-0", "default"]);
    const cases = [{ when: "data.urgent" }, { when: "" }];
    expect(portsOf({ cases })).toEqual(["case-0", "case-1", "default"]);
    expect(portsOf({ cases: "{{ data.cases }}" })).toEqual(names);
    expect(["case-0", "case-1", "default"].map((port) => portLabel(node({ cases }), port))).toEqual([
      "data.urgent",
      "case-1",
      "default",
    ]);
    expect(initialData(spec)["configurations"]).toEqual({ cases: [{ when: "" }] });
  });
});
