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
