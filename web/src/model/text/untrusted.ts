/** Makes text from untrusted sources safe to display: invisible characters are escaped and reported. */

const HIDDEN = new RegExp(
  [
    // Control characters, except tab and line breaks.
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`,
    // Characters without a glyph: soft hyphen, joiners, fillers, zero-width spaces.
    String.raw`[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u3164\ufeff\uffa0]|\u034f|\u17b4|\u17b5`,
    // Line separators, bidirectional controls, invisible operators, annotations, tags.
    String.raw`[\u2028-\u202e\u2060-\u206f\ufff9-\ufffb\u{e0000}-\u{e0fff}]`,
    // Variation selectors; the last one is part of an emoji.
    String.raw`[\ufe00-\ufe0e]|(?<!\p{Extended_Pictographic})\ufe0f`,
  ].join("|"),
  "gu",
);
const BIDI_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const MARKUP = /<\/?[a-z!][^>]*>?/iu;
// Bounded, because a text of many brackets would take very long otherwise.
const LINK = /\[[^\][]{0,200}\]\([^\s)]/u;
const ESCAPE = "\u001b";

export interface SafeText {
  text: string;
  /** What is suspicious about the text; empty for plain text. */
  warnings: string[];
}

export function safeText(text: string): SafeText {
  const warnings = [
    ...(BIDI_CONTROL.test(text) ? ["characters that change the text direction"] : []),
    ...((text.match(HIDDEN) ?? []).some((character) => !BIDI_CONTROL.test(character))
      ? ["invisible characters"]
      : []),
    ...(text.includes(ESCAPE) ? ["terminal escape codes"] : []),
    ...(MARKUP.test(text) ? ["HTML"] : []),
    ...(LINK.test(text) ? ["a Markdown link"] : []),
  ];
  return { text: text.replace(HIDDEN, codePoint), warnings };
}

function codePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟦U+${number.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}
