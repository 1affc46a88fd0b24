import { expect, test } from "vitest";
import type { JsonObject } from "../workflow/workflow";
import { fieldValues, parseInputs, schemaFields } from "./schemaForm";

const ANYTHING = { anyOf: [{ type: "string" }, { type: "number" }, { type: "object" }] };
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    who: ANYTHING,
    city: { type: ["string", "null"], default: "Rome" },
    days: { type: "integer" },
    level: { enum: ["low", 2] },
    tags: { type: "array", items: { enum: ["a", "b"] } },
    deep: { type: "object", properties: { x: { type: "string" } } },
    is_sure: { type: "boolean" },
  },
  required: ["who"],
};

test("every kind of property gets a control", () => {
  const kinds = Object.fromEntries(schemaFields(SCHEMA).map(({ name, kind }) => [name, kind]));
  expect(kinds).toEqual({
    who: "text",
    city: "text",
    days: "number",
    level: "choice",
    tags: "several",
    deep: "json",
    is_sure: "boolean",
  });
  expect(schemaFields({ type: "object" })).toEqual([]);
});

test("given values and defaults are shown, and come back as they were", () => {
  const fields = schemaFields(SCHEMA);
  const given = { who: "Ada", days: 3, level: 2, tags: ["b"], deep: { x: "y" }, is_sure: true, more: 5 };
  const values = fieldValues(fields, SCHEMA, given);
  expect(values["city"]).toBe("Rome");
  expect(parseInputs(fields, SCHEMA, values, given)).toEqual({
    inputs: { ...given, city: "Rome" },
    faults: {},
  });
});

test("what nobody touched is left out, what is missing or wrong is named", () => {
  const fields = schemaFields(SCHEMA);
  expect(parseInputs(fields, SCHEMA, {}, {})).toEqual({ inputs: {}, faults: { who: "Required." } });
  const { inputs, faults } = parseInputs(fields, SCHEMA, { who: '{"a": 1}', days: "x" }, {});
  expect(inputs["who"]).toEqual({ a: 1 });
  expect(Object.keys(faults)).toEqual(["days"]);
});
