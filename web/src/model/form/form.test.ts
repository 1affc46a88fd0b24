import { describe, expect, it } from "vitest";
import {
  checkLength,
  modeOf,
  snapshotTools,
  previousTool,
  withDescription,
  DESCRIPTION_FIELDS,
  descriptionOf,
} from "./modes";
import type { Parameter } from "./parameters";
import { controlOf, MAX_DEPTH, entryParameter, fieldParameter, isUsedSetting } from "./parameters";
import { currentProblems, fieldPointers, isInvalidValue, placeProblems } from "./problems";
import {
  initialValue,
  pointerOf,
  parseJson,
  parseNumber,
  renameKey,
  setAt,
  valueAt,
  matchingVariant,
} from "./values";

const fixed = (name: string): Parameter => ({
  name: "method",
  type: "string",
  required: true,
  validation: { enum: [name] },
});
const payment: Parameter = {
  name: "payment",
  type: "string",
  kind: "union",
  discriminator: "method",
  variants: [
    {
      name: "card",
      type: "object",
      properties: { method: fixed("card"), digits: { name: "digits", type: "string", required: true } },
    },
    { name: "cash", type: "object", properties: { method: fixed("cash") } },
  ],
};
const order: Parameter = {
  name: "order",
  type: "object",
  properties: {
    payment,
    lines: {
      name: "lines",
      type: "array",
      items: { name: "line", type: "object", properties: { sku: { name: "sku", type: "string" } } },
    },
    labels: { name: "labels", type: "object", extra: { name: "extra", type: "integer" } },
  },
};

describe("values at paths", () => {
  it("are set together with missing parents", () => {
    expect(setAt({}, ["a", "list", 0, "b"], 1)).toEqual({ a: { list: [{ b: 1 }] } });
    expect(valueAt({ a: { list: [{ b: 1 }] } }, ["a", "list", 0, "b"])).toBe(1);
    expect(valueAt({ a: "{{ steps.x }}" }, ["a", "b"])).toBeUndefined();
  });

  it("leave other parts the same object, and can be removed", () => {
    const before = { a: { x: 1 }, b: { y: 2 } };
    const after = setAt(before, ["b", "y"], 3);
    expect(after.a).toBe(before.a);
    expect(Object.keys(setAt({ x: 1, y: 2, z: 3 }, ["y"], 5))).toEqual(["x", "y", "z"]);
    expect(setAt(before, ["b", "y"], undefined)).toEqual({ a: { x: 1 }, b: {} });
    expect(setAt(before, ["c", "d"], undefined)).toBe(before);
    expect(setAt<Record<string, number[]>>({ l: [1, 2, 3] }, ["l", 1], undefined)).toEqual({ l: [1, 3] });
  });

  it("are never inherited from a prototype", () => {
    expect(valueAt({}, ["constructor"])).toBeUndefined();
    const made = setAt({}, ["__proto__", "x"], 1);
    expect(Object.keys(made)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("have JSON pointers, and renamed keys keep their position", () => {
    expect(pointerOf(["a/b", 0, "c~d"])).toBe("/a~1b/0/c~0d");
    expect(Object.keys(renameKey({ a: 1, b: 2 }, "a", "c"))).toEqual(["c", "b"]);
    const same = { a: 1, b: 2 };
    expect(renameKey(same, "a", "b")).toBe(same);
  });
});

describe("controls", () => {
  it.each<[Partial<Parameter>, string]>([
    [{ type: "integer" }, "number"],
    [{ type: "string", validation: { enum: ["a", "b"] } }, "enum"],
    [{ type: "string", validation: { enum: ["a"] } }, "constant"],
    [{ type: "string", kind: "any" }, "json"],
    [{ type: "string", kind: "union" }, "json"],
    [{ type: "array" }, "json"],
    [{ type: "object", extra: true }, "object"],
    [{ type: "object" }, "json"],
    [{ type: "object", properties: { a: { name: "a", type: "string" } }, recursiveRef: "#" }, "json"],
  ])("%j is edited as %s", (parameter, control) => {
    expect(controlOf({ name: "x", type: "string", ...parameter })).toBe(control);
  });

  it("are JSON fields below the maximum depth", () => {
    expect(controlOf(order, MAX_DEPTH)).toBe("object");
    expect(controlOf(order, MAX_DEPTH + 1)).toBe("json");
  });

  it("of catalog fields keep the catalog's metadata", () => {
    const field = {
      name: "model",
      type: "string",
      description: "d",
      required: false,
      default: "m",
      minimum: null,
      maximum: null,
      options: ["m", "n"],
      isOpen: true,
      sensitive: false,
      multiline: false,
      pattern: null,
      items: null,
      usedWhen: [],
      schema: null,
    };
    expect(fieldParameter(field)).toMatchObject({ type: "string", default: "m", proposals: ["m", "n"] });
    // What has a default does not have to be entered.
    const isRequired = (value: string | null) =>
      fieldParameter({ ...field, required: true, default: value }).required;
    expect([isRequired("m"), isRequired(null)]).toEqual([false, true]);
    expect(controlOf(fieldParameter({ ...field, isOpen: false }))).toBe("enum");
    expect(controlOf(fieldParameter({ ...field, type: "array", items: "string", options: [] }))).toBe(
      "array",
    );
    expect(controlOf(fieldParameter({ ...field, type: "any", options: [] }))).toBe("json");
    const operation = fieldParameter({ ...field, name: "operation" });
    const script = fieldParameter({ ...field, name: "script", usedWhen: ["operation", "n", "o"] });
    const isShown = (settings: Record<string, string>) =>
      isUsedSetting(script, [operation, script], settings);
    const chosen: Record<string, string>[] = [
      {},
      { operation: "m" },
      { operation: "n" },
      { operation: "{{ x }}" },
    ];
    expect(chosen.map(isShown)).toEqual([false, false, true, true]);
    expect(isUsedSetting(operation, [operation], {})).toBe(true);
  });

  it("of additional keys follow the schema", () => {
    expect(entryParameter(order, "x")).toBeNull();
    expect(entryParameter(order.properties!["labels"]!, "x")).toMatchObject({ name: "x", type: "integer" });
  });
});

describe("unions", () => {
  it("are matched by their discriminator, else by similarity", () => {
    expect(matchingVariant(payment, { method: "cash" })).toBe(1);
    expect(matchingVariant(payment, {})).toBe(0);
    expect(matchingVariant(payment, undefined)).toBe(-1);
    expect(matchingVariant(payment, 7)).toBe(-1);
    const plain: Parameter = {
      name: "v",
      type: "string",
      kind: "union",
      variants: [
        { name: "", type: "string" },
        { name: "", type: "integer" },
        { name: "", type: "number" },
        { name: "", type: "boolean" },
      ],
    };
    expect(["a", 1, 1.5, true].map((value) => matchingVariant(plain, value))).toEqual([0, 1, 2, 3]);
  });

  it("start with their constants", () => {
    expect(initialValue(payment.variants![1]!)).toEqual({ method: "cash" });
    expect(initialValue(order)).toEqual({});
    expect(initialValue({ name: "n", type: "integer", validation: { minimum: 3 } })).toBe(3);
    expect(initialValue({ name: "n", type: "integer", default: 8 })).toBe(8);
  });
});

describe("typed text", () => {
  const count: Parameter = { name: "n", type: "integer", validation: { minimum: 1, maximum: 10 } };
  it.each([
    ["3", { value: 3 }],
    ["", {}],
    ["{{ a }}", { value: "{{ a }}" }],
    ["3.5", { fault: "a whole number is expected" }],
    ["three", { fault: "a number is expected" }],
    ["Infinity", { fault: "a number is expected" }],
    ["0", { fault: "at least 1 is expected" }],
    ["11", { fault: "at most 10 is expected" }],
  ])("%s", (typed, read) => expect(parseNumber(count, typed)).toEqual(read));

  it("is parsed as JSON value, expression or error", () => {
    expect(parseJson('{"a": 1}')).toEqual({ value: { a: 1 } });
    expect(parseJson("{{ steps.a }}")).toEqual({ value: "{{ steps.a }}" });
    expect(parseJson("{").fault).toBeTruthy();
  });
});

describe("problems", () => {
  const data = {
    parameterValues: { order: { payment: { method: "card" }, lines: [{}], labels: { mine: 1 } } },
  };
  const fields = fieldPointers([{ path: ["parameterValues"], parameters: [order] }], data);
  const problem = (pointer: string) => ({ code: "X", severity: "error" as const, pointer, message: pointer });

  it.each([
    ["/parameterValues/order/lines/0/sku", "/parameterValues/order/lines/0/sku"],
    ["/parameterValues/order/payment/digits", "/parameterValues/order/payment/digits"],
    ["/parameterValues/order/payment/other/x", "/parameterValues/order/payment"],
    ["/parameterValues/order/labels/mine", "/parameterValues/order/labels/mine"],
  ])("%s is shown at %s", (pointer, at) => {
    expect([...placeProblems([problem(`/nodes/1/data${pointer}`)], fields).byField.keys()]).toEqual([at]);
  });

  it("of present values prevent saving, of missing values they do not", () => {
    const workflow = { nodes: [{ data }] } as unknown as Parameters<typeof isInvalidValue>[0];
    const wrong = (pointer: string) => isInvalidValue(workflow, problem(`/nodes/0/data${pointer}`));
    expect(wrong("/parameterValues/order/payment/method")).toBe(true);
    expect(wrong("/parameterValues/order/lines/0")).toBe(true);
    expect(wrong("/parameterValues/order/payment/digits")).toBe(false);
    expect(wrong("/parameterValues/order/constructor")).toBe(false);
    expect(wrong("/toolName")).toBe(false);
  });

  it("of a value that changed since it was validated are not shown; the others stay", () => {
    const [changed, same, whole] = [
      problem("/nodes/1/data/parameterValues/city"),
      problem("/nodes/1/data/parameterValues/days/0"),
      problem("/nodes/1"),
    ];
    const validated = { parameterValues: { days: [0] } };
    const shown = (data: Parameters<typeof currentProblems>[2]) =>
      currentProblems([changed, same, whole], validated, data);
    expect(shown({ parameterValues: { days: [0] } })).toEqual([changed, same, whole]);
    expect(shown({ parameterValues: { days: [0], city: "Oslo" } })).toEqual([same, whole]);
  });

  it("without a field are listed separately", () => {
    const found = placeProblems([problem("/nodes/1/name"), problem("/nodes/1/data/serverId")], fields);
    expect(found.rest).toHaveLength(2);
  });
});

describe("modes", () => {
  it("are read by their aliases, and hold a description", () => {
    expect([modeOf({}), modeOf({ mode: "aiToolSelection" })]).toEqual(["detailed", "fullNaturalLanguage"]);
    const words = DESCRIPTION_FIELDS.fullNaturalLanguage!;
    const data = withDescription(
      { fullNaturalLanguageConfig: { availableTools: [{ name: "a" }] } },
      words,
      "do it",
      "now",
    );
    expect([descriptionOf(data, words), snapshotTools(data)]).toEqual(["do it", ["a"]]);
    expect(previousTool({ preservedDetailedConfig: { toolName: "weather" } })).toBe("weather");
  });

  it("count characters as the service does", () => {
    expect(checkLength("🙂".repeat(10), 10)).toEqual({ count: 10, isRight: true });
    expect(checkLength(" ".repeat(30), 10).isRight).toBe(false);
    expect(checkLength("a".repeat(10_001), 10).isRight).toBe(false);
  });
});
