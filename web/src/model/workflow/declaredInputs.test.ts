import { describe, expect, it } from "vitest";
import { addInput, changeInput, declaredInputs, inputNameFault, removeInput } from "./declaredInputs";
import { newWorkflow } from "./workflow";

const declared = {
  ...newWorkflow("w"),
  inputSchema: {
    type: "object",
    title: "Kept",
    properties: {
      city: { type: "string", minLength: 2, default: "Oslo" },
      days: { type: ["integer", "null"] },
    },
    required: ["city"],
  },
};

describe("declared inputs", () => {
  it("are rows that keep what they do not show", () => {
    expect(declaredInputs(declared).map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ["city", "string", true],
      ["days", null, false],
    ]);
    const town = changeInput(declared, "city", { name: "town", description: "Where" });
    expect(town.inputSchema).toEqual({
      type: "object",
      title: "Kept",
      properties: {
        town: { type: "string", minLength: 2, default: "Oslo", description: "Where" },
        days: { type: ["integer", "null"] },
      },
      required: ["town"],
    });
  });

  it("are required or not, and lose a default of another type", () => {
    const optional = changeInput(declared, "city", { isRequired: false });
    expect(optional.inputSchema).not.toHaveProperty("required");
    expect(changeInput(optional, "days", { isRequired: true }).inputSchema?.["required"]).toEqual(["days"]);
    const [number] = declaredInputs(changeInput(declared, "city", { type: "number" }));
    expect([number?.type, number?.default]).toEqual(["number", undefined]);
  });

  it("are added with a free name and removed to the last", () => {
    const two = addInput(addInput(newWorkflow("w")));
    expect(declaredInputs(two).map(({ name }) => name)).toEqual(["input", "input_2"]);
    expect(inputNameFault(two, "input", "input_2")).toMatch(/is an input/);
    expect(inputNameFault(two, "input", "in put")).toMatch(/letters/);
    expect(inputNameFault(two, "input", "input")).toBeNull();
    expect(removeInput(removeInput(two, "input"), "input_2")).toEqual(newWorkflow("w"));
  });
});
