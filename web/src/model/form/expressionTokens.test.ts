import { expect, test } from "vitest";
import { expressionTokens, hasExpression } from "./expressionTokens";

const shown = (text: string, language: "value" | "own" | "flow") =>
  expressionTokens(text, language).map(({ from, to, kind }) => `${kind}:${text.slice(from, to)}`);

test("only what is inside of braces is an expression", () => {
  expect(shown("In {{ size(data.days) > 2 }} days", "value")).toEqual([
    "brace:{{",
    "call:size",
    "name:data",
    "name:days",
    "operator:>",
    "number:2",
    "brace:}}",
  ]);
  expect(shown("it's a plain text", "value")).toEqual([]);
});

test("a condition is an expression as a whole, and a text keeps its quotes", () => {
  expect(shown("data.city == 'O\\'slo' && true", "own")).toEqual([
    "name:data",
    "name:city",
    "operator:==",
    "text:'O\\'slo'",
    "operator:&&",
    "word:true",
  ]);
});

test("an open brace or quote ends with the text", () => {
  expect(shown("{{ data['a", "value")).toEqual(["brace:{{", "name:data", "text:'a"]);
  expect(shown("{name} and {", "flow")).toEqual(["brace:{", "name:name", "brace:}", "brace:{"]);
});

test("plain text is no expression", () => {
  expect(hasExpression("Hello", "value")).toBe(false);
  expect(hasExpression("Hello {{", "value")).toBe(true);
  expect(hasExpression("", "own")).toBe(true);
});
