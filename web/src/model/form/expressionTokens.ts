/** The parts of an expression, for syntax colours: only what is inside of braces, unless the whole text is one. */

import type { Language } from "./completion";

export type TokenKind = "brace" | "text" | "number" | "word" | "call" | "name" | "operator";

export interface Token {
  from: number;
  to: number;
  kind: TokenKind;
}

const WORDS: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);
const PART =
  /("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)(?=(\s*\()?)|([-+*/%<>=!&|?:]+)/gy;

/** Whether a text has an expression in it, or is one. */
export function hasExpression(text: string, language: Language): boolean {
  return isWhole(text, language) || text.includes(bracesOf(language)[0]);
}

export function expressionTokens(text: string, language: Language): Token[] {
  if (isWhole(text, language)) return partsOf(text, 0, text.length);
  const [open, close] = bracesOf(language);
  const tokens: Token[] = [];
  let at = text.indexOf(open);
  while (at >= 0) {
    const from = at + open.length;
    const end = text.indexOf(close, from);
    const to = end < 0 ? text.length : end;
    tokens.push({ from: at, to: from, kind: "brace" }, ...partsOf(text, from, to));
    if (end < 0) break;
    tokens.push({ from: end, to: end + close.length, kind: "brace" });
    at = text.indexOf(open, end + close.length);
  }
  return tokens;
}

function bracesOf(language: Language): [string, string] {
  return language === "flow" ? ["{", "}"] : ["{{", "}}"];
}

function isWhole(text: string, language: Language): boolean {
  return language === "own" && !text.includes("{{");
}

function partsOf(text: string, from: number, to: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  while (at < to) {
    PART.lastIndex = at;
    const match = PART.exec(text);
    if (!match || match[0] === "") {
      at += 1;
      continue;
    }
    const end = Math.min(at + match[0].length, to);
    tokens.push({ from: at, to: end, kind: kindOf(match) });
    at = end;
  }
  return tokens;
}

function kindOf([, quoted, number, name, call]: RegExpExecArray): TokenKind {
  if (quoted !== undefined) return "text";
  if (number !== undefined) return "number";
  if (name === undefined) return "operator";
  if (WORDS.has(name)) return "word";
  return call === undefined ? "name" : "call";
}
