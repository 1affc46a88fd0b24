/** Writes the path of a value into the text of a field, as the language of the field wants it. */

import type { Language } from "./completion";

export interface Insertion {
  text: string;
  /** Where the caret goes afterwards. */
  caret: number;
}

/** Replaces `from`–`to` of a text by an expression that reads `path`. */
export function insertPath(
  text: string,
  from: number,
  to: number,
  language: Language,
  path: string,
): Insertion {
  const written = isInside(text, from, language) ? path : inBraces(path, language);
  return { text: text.slice(0, from) + written + text.slice(to), caret: from + written.length };
}

/** Replaces a part of JSON by an expression: within a text a part of it, elsewhere a text of its own. */
export function insertInJson(
  json: string,
  [from, to]: readonly [number, number],
  language: Language,
  path: string,
): Insertion {
  const quote = openQuote(json.slice(0, from));
  if (quote === null) {
    const written = JSON.stringify(inBraces(path, language));
    return { text: json.slice(0, from) + written + json.slice(to), caret: from + written.length };
  }
  const isWithin = isInside(json.slice(quote + 1, from), from - quote - 1, language);
  const written = JSON.stringify(isWithin ? path : inBraces(path, language)).slice(1, -1);
  return { text: json.slice(0, from) + written + json.slice(to), caret: from + written.length };
}

/** Where the text begins in which a part of JSON ends; null outside of texts. */
function openQuote(part: string): number | null {
  let quote: number | null = null;
  for (let at = 0; at < part.length; at += 1) {
    if (part[at] === "\\" && quote !== null) at += 1;
    else if (part[at] === '"') quote = quote === null ? at : null;
  }
  return quote;
}

/** The expression that reads a value, as the whole value of a field. */
export function inBraces(path: string, language: Language): string {
  if (language === "flow") return `{${path}}`;
  return `{{ ${path} }}`;
}

/** Whether the text at a position is an expression already. */
function isInside(text: string, at: number, language: Language): boolean {
  if (language === "words" || (language === "own" && !text.includes("{{"))) return true;
  const [open, close] = language === "flow" ? ["{", "}"] : ["{{", "}}"];
  const before = text.slice(0, at);
  return before.lastIndexOf(open) > before.lastIndexOf(close);
}
