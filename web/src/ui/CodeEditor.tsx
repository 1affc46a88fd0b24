/** CodeMirror for JSON. Loaded by `JsonEditor` when the first one is shown. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { CODE_LOOK, textDifference } from "./codeLook";

export interface CodeEditorProps {
  /** The element that its label names. */
  id?: string;
  label: string;
  value: string;
  isReadOnly: boolean;
  hasLineNumbers?: boolean;
  /** It gets the focus when it is opened. */
  isFocused?: boolean;
  /** A character to select and show; another object shows it again. */
  shownPosition?: { at: number } | null;
  onChange(text: string): void;
  onBlur(): void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
]);

/** In a shadow root, because there its styles are no inline styles, which the content policy forbids. */
export default function CodeEditor(props: CodeEditorProps) {
  const { id, label, value, isReadOnly, hasLineNumbers = false, shownPosition = null } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const current = useRef(props);
  useEffect(() => {
    current.current = props;
  });
  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const editor = new EditorView({
      doc: value,
      parent: root,
      root,
      extensions: [
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        json(),
        syntaxHighlighting(COLOURS),
        bracketMatching(),
        indentOnInput(),
        hasLineNumbers ? lineNumbers() : [],
        CODE_LOOK,
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          if (text !== current.current.value) current.current.onChange(text);
        }),
        EditorView.domEventHandlers({ blur: () => current.current.onBlur() }),
      ],
    });
    view.current = editor;
    if (current.current.isFocused) editor.focus();
    const focus = () => editor.focus();
    // A label gives the focus to native fields only.
    const title = id ? document.querySelector(`label[for="${CSS.escape(id)}"]`) : null;
    title?.addEventListener("click", focus);
    return () => {
      title?.removeEventListener("click", focus);
      editor.destroy();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a new value is dispatched below
  }, [id, label, isReadOnly, hasLineNumbers]);
  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString();
    if (!editor || shown === undefined || shown === value) return;
    editor.dispatch({ changes: textDifference(shown, value) });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !shownPosition) return;
    const anchor = Math.min(shownPosition.at, editor.state.doc.length);
    const head = Math.min(anchor + 1, editor.state.doc.length);
    editor.focus();
    editor.dispatch({
      selection: { anchor, head },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
  }, [shownPosition]);
  return <div ref={host} className="code-editor" />;
}
