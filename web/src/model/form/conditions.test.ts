import { describe, expect, it, test } from "vitest";
import type { ConditionGroup, ConditionRow, Operand, Operator } from "./conditions";
import {
  OPERATOR_TITLES,
  UNARY,
  asTyped,
  isPath,
  parseCondition,
  printCondition,
  printRow,
} from "./conditions";

/** A small generator with a seed, so that a failure can be repeated. */
function generator(seed: number) {
  let state = seed;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!;
  const operators = Object.keys(OPERATOR_TITLES) as Operator[];
  const fields = [
    "data",
    "data.city",
    "trigger.body.items[0].price",
    'data["a b"].x',
    "nodes.get.output",
    "data.note.parseJson().inner.n",
  ];
  const texts = ["", "Oslo", 'a "quote"', "it's", "back\\slash", "line\nbreak", "über €", "&& || ( ) { }"];
  const others = ["1", "-2.50", "1e3", "true", "false", "null", "data.other", "trigger.list[2]"];
  const row = (): ConditionRow => {
    const operator = pick(operators);
    const list: Operand = { kind: "other", text: pick(["[1, 2]", '["a", "b, c"]', "data.allowed", "[]"]) };
    const value: Operand = UNARY.has(operator)
      ? { kind: "text", text: "" }
      : operator === "in"
        ? list
        : next() < 0.5
          ? { kind: "text", text: pick(texts) }
          : { kind: "other", text: pick(others) };
    return { field: pick(fields), operator, value };
  };
  const rows = (count: number) => Array.from({ length: count }, row);
  return (): ConditionGroup => {
    const join = pick(["and", "or"] as const);
    const inner: ConditionGroup = {
      join: join === "and" ? "or" : "and",
      items: rows(2 + Math.floor(next() * 2)),
    };
    const count = Math.floor(next() * 3);
    if (count === 0 && next() < 0.3) return { join: "and", items: rows(1) };
    return { join, items: [...rows(count + 1), inner] };
  };
}

test("a number that is typed is compared as a number, where its field or operator says so", () => {
  const row = (operator: Operator, text: string) =>
    ({ field: "data.n", operator, value: { kind: "text", text } }) as const;
  expect(printRow(asTyped(row(">", "0"), undefined))).toBe("data.n > 0");
  expect(printRow(asTyped(row("==", "7"), "integer"))).toBe("data.n == 7");
  expect(printRow(asTyped(row("==", "true"), "boolean"))).toBe("data.n == true");
  expect(printRow(asTyped(row("==", "7"), undefined))).toBe('data.n == "7"');
  expect(printRow(asTyped(row(">", "b"), undefined))).toBe('data.n > "b"');
});

describe("a condition in rows", () => {
  it("is the same after it was written as an expression and read again", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const group = generator(seed)();
      const text = printCondition(group);
      expect(parseCondition(text), `seed ${seed}: ${text}`).toEqual({ group });
    }
  });

  it.each([
    ["days[0].high_c < 15", "days[0].high_c < 15"],
    ["data.a==1&&data.b!='x'", 'data.a == 1 && data.b != "x"'],
    ["a && b || !c", "(a && b) || !c"],
    ["!data.tags.contains('new')", '!data.tags.contains("new")'],
    ["  ", ""],
  ])("%s is read", (text, printed) => {
    const parsed = parseCondition(text);
    expect("group" in parsed && printCondition(parsed.group)).toBe(printed);
  });

  it.each([
    ["data.items.filter(x, x > 1)", "it calls filter()"],
    ["int(data.x) > 1", "it calls int()"],
    ["data.a + 1 > 2", "it uses “+”"],
    ["(a && (b || (c && d)))", "its groups are nested too deeply"],
    ["size(data.x) > 3", "it compares a size"],
    ["!(a == b)", "it starts with “(”"],
    ["data.x == ", "it is not complete"],
    ["data.x == 1 )", "it uses “)”"],
    ["1 == data.x", "it starts with “1”"],
    ["a ? b : c", "it uses “?”"],
  ])("%s stays an expression: %s", (text, reason) => {
    expect(parseCondition(text)).toEqual({ reason });
  });

  it("leaves out rows without a field", () => {
    const empty: ConditionRow = { field: " ", operator: "==", value: { kind: "text", text: "" } };
    expect(printCondition({ join: "or", items: [empty, { ...empty, field: "a" }] })).toBe('a == ""');
  });

  it("knows names", () => {
    expect([isPath("data.days[0].high"), isPath("data."), isPath("a b"), isPath("f(x)")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
