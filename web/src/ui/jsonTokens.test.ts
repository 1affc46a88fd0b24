import { expect, test } from "vitest";
import { jsonTokens } from "./jsonTokens";

const text = JSON.stringify({ "a b": ['x: "y"', -1.5e3, true, null], n: {} }, null, 2);

test("keys, texts, numbers and words are told apart, and nothing is lost", () => {
  const tokens = jsonTokens(text);
  expect(tokens.map((token) => token.text).join("")).toBe(text);
  const of = (kind: string) => tokens.filter((token) => token.kind === kind).map((token) => token.text);
  expect(of("key")).toEqual(['"a b"', '"n"']);
  expect(of("text")).toEqual(['"x: \\"y\\""']);
  expect(of("number")).toEqual(["-1500"]);
  expect(of("word")).toEqual(["true", "null"]);
});

test("what is no JSON, and what is long, stays one part", () => {
  expect(jsonTokens("true to its word: 3")).toEqual([{ kind: "other", text: "true to its word: 3" }]);
  const long = `[${"1,".repeat(40_000)}1]`;
  expect(jsonTokens(long)).toEqual([{ kind: "other", text: long }]);
  expect(
    jsonTokens('{"open')
      .map((token) => token.text)
      .join(""),
  ).toBe('{"open');
});
