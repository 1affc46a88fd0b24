/** The look of code editors. Loaded with the first of them. */

import { EditorView } from "@codemirror/view";

export const CODE_LOOK = EditorView.theme({
  "&": {
    height: "var(--code-height, auto)",
    minHeight: "var(--code-min-height, 0)",
    maxHeight: "var(--code-max-height, 420px)",
    backgroundColor: "var(--code-surface, var(--surface))",
    color: "var(--ink)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "12px", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    border: "0",
    backgroundColor: "var(--code-surface, var(--surface))",
    color: "var(--ink-faint)",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
});

/** The part that differs, so that the caret stays where it is when a text is changed elsewhere. */
export function textDifference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
