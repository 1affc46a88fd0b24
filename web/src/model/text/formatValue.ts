/** Formats values of runs as text, with invisible characters escaped. */

const HIDDEN = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`,
    String.raw`[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]`,
  ].join("|"),
  "gu",
);

export function escapeHidden(text: string): string {
  return text.replace(
    HIDDEN,
    (hidden) => `⟨U+${hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** The text content of a tool result; null for other values. */
export function toolResultText(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { text, content } = value as { text?: unknown; content?: unknown };
  return typeof text === "string" && text !== "" && Array.isArray(content) ? text : null;
}

/** A value as text of at most `most` characters, and whether it is complete. */
export function formatValue(value: unknown, most = 60_000): { text: string; isAll: boolean } {
  if (value === undefined) return { text: "—", isAll: true };
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.length <= most
    ? { text: escapeHidden(text), isAll: true }
    : { text: escapeHidden(text.slice(0, most)), isAll: false };
}

/** A count with its noun: "1 error", "2 errors". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
