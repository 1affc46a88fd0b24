/** The parts of a JSON text, for syntax colours. */

export interface JsonToken {
  kind: "key" | "text" | "number" | "word" | "other";
  text: string;
}

/** Colours of a longer text would cost more than they help. */
const MAX_CHARS = 60_000;
const PARTS =
  /("(?:\\.|[^"\\])*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|\b(true|false|null)\b|[^"\d\-tfn]+|./gs;

export function jsonTokens(text: string): JsonToken[] {
  if (text.length > MAX_CHARS || !/^\s*[[{]/.test(text)) return [{ kind: "other", text }];
  const tokens: JsonToken[] = [];
  const add = (kind: JsonToken["kind"], part: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind && kind === "other") last.text += part;
    else tokens.push({ kind, text: part });
  };
  for (const [all, quoted, colon, number, word] of text.matchAll(PARTS)) {
    if (quoted !== undefined) {
      add(colon === undefined ? "text" : "key", quoted);
      if (colon !== undefined) add("other", colon);
    } else add(number !== undefined ? "number" : word !== undefined ? "word" : "other", all);
  }
  return tokens;
}
