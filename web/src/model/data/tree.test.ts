import { expect, test } from "vitest";
import {
  childPath,
  initiallyOpen,
  matchingPaths,
  readsInput,
  sampleOf,
  sourceItems,
  valueItem,
} from "./tree";

const source = (path: string, value?: unknown, about = "") => ({
  path,
  about,
  kind: "object",
  hasValue: value !== undefined,
  value: value ?? null,
  isCut: false,
});

test("a part is read by the expression that CEL understands", () => {
  expect(childPath("data", "city")).toBe("data.city");
  expect(childPath("data", "a-b")).toBe("data['a-b']");
  expect(childPath("data", "it's\n")).toBe("data['it\\'s\\n']");
  expect(childPath("data", "in")).toBe("data['in']");
  expect(childPath("data.days", 0)).toBe("data.days[0]");
});

test("JSON in a text opens as a tree whose paths parse the text", () => {
  const item = valueItem("data.text", "text", '{"days": [{"high": 7}]}');
  expect(item.isJsonText).toBe(true);
  const days = item.children()[0]!;
  expect(days.path).toBe("data.text.parseJson().days");
  expect(days.children()[0]!.children()[0]).toMatchObject({
    path: "data.text.parseJson().days[0].high",
    summary: "7",
  });
  expect(valueItem("data", "x", "[not json").children()).toEqual([]);
  expect(valueItem("data", "x", "[]").isJsonText).toBeUndefined();
});

test("a source without a value shows what its schema declares", () => {
  const offers = ["data", "data.city", "data.days", "data.days[0]", "data.days[0].high"].map((path) => ({
    path,
    kind: "string",
    about: null,
    sample: null,
  }));
  const [data, greet] = sourceItems(
    [source("data"), source("nodes.greet.output", "Hi", "the output of Greet")],
    offers,
  );
  expect(data!.label).toBe("Input");
  expect(data!.children().map(({ label }) => label)).toEqual(["city", "days"]);
  expect(data!.children()[1]!.children()[0]!.children()[0]!.path).toBe("data.days[0].high");
  expect(greet).toMatchObject({ label: "Greet", summary: "Hi" });
});

test("a long list says how much is not shown, and search finds what is inside", () => {
  const item = valueItem(
    "data",
    "Input",
    Array.from({ length: 130 }, (_, id) => ({ id })),
  );
  expect(item.children().length).toBe(100);
  expect(item.hidden).toBe(30);
  expect([...matchingPaths([valueItem("data", "Input", { a: { city: "Oslo" } })], "oslo")]).toEqual([
    "data",
    "data.a",
    "data.a.city",
  ]);
});

test("a request opens at its body, anything else at its first objects", () => {
  const request = { headers: { host: "a" }, body: { order: { total: 1 } }, query_params: {} };
  const open = initiallyOpen([valueItem("data", "Input", request)]);
  expect([...open]).toEqual(["data", "data.body", "data.body.order"]);
  const plain = initiallyOpen([valueItem("data", "Input", { headers: { a: { b: 1 } }, n: 1 })]);
  expect([...plain]).toEqual(["data", "data.headers"]);
});

test("an input is suggested with the declared fields, empty", () => {
  const kinds = { data: "object", "data.city": "string", "data.days": "array", "data.days[0]": "object" };
  const offers = Object.entries({ ...kinds, "data.days[0].high": "number" }).map(([path, kind]) => ({
    path,
    kind,
    about: null,
    sample: null,
  }));
  const [data] = sourceItems([source("data")], offers);
  expect(sampleOf(data!)).toEqual({ city: "", days: [{ high: 0 }] });
  const reads = ["{{ data.city }}", "size(data) > 1"].map((text) => readsInput({ city: text }));
  expect([...reads, readsInput({ city: "Oslo", data: 1 }), readsInput({ x: "database" })]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
