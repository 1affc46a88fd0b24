/** CodeMirror for texts with expressions: colours, completion, matching brackets. Loaded by `ExpressionBox`. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import {
  autocompletion,
  closeCompletion,
  currentCompletions,
  pickedCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import type { Extension, Range } from "@codemirror/state";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, ViewPlugin, keymap, placeholder } from "@codemirror/view";
import type { RefObject } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Choice, Completion as Offered, CompletionNames, Language } from "../../model/form/completion";
import { applyChoice, complete } from "../../model/form/completion";
import { expressionTokens } from "../../model/form/expressionTokens";
import { safeText } from "../../model/text/untrusted";
import { PATH_DRAG_TYPE } from "../../state/fieldTarget";
import { CODE_LOOK, textDifference } from "../../ui/codeLook";
import { registerEditor } from "./textTarget";

export interface ExpressionEditorProps {
  id: string;
  label: string;
  text: string;
  language: Language;
  names: CompletionNames;
  isLong: boolean;
  isReadOnly: boolean;
  isInvalid: boolean;
  isRequired: boolean;
  placeholder: string | undefined;
  /** The caret of the field that this one takes the place of while it is typed in; null if it is not. */
  caret: number | null;
  onType(text: string): void;
  onLeave(): void;
}

/** In a shadow root, because there its styles are no inline styles, which the content policy forbids. */
export default function ExpressionEditor(props: ExpressionEditorProps) {
  const { id, label, text, names, isLong, isReadOnly, isInvalid, isRequired } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // What changes while the user types, and must not cost the focus.
  const [settings] = useState(() => new Compartment());
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useLayoutEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const extensions = [setUp(latest), settings.of(settingsOf(latest.current))];
    const editor = new EditorView({ doc: latest.current.text, parent: root, root, extensions });
    view.current = editor;
    const { caret } = latest.current;
    if (caret !== null) {
      editor.dispatch({ selection: { anchor: Math.min(caret, editor.state.doc.length) } });
      editor.focus();
      closeOpened(editor);
      startCompletion(editor);
    }
    const release = registerEditor(element, {
      selection: () => [editor.state.selection.main.from, editor.state.selection.main.to],
      focusAt(at) {
        editor.focus();
        editor.dispatch({ selection: { anchor: Math.min(at ?? Infinity, editor.state.doc.length) } });
      },
    });
    const focus = () => editor.focus();
    const title = document.querySelector<HTMLElement>(`label[for="${CSS.escape(id)}"]`);
    title?.addEventListener("click", focus);
    return () => {
      title?.removeEventListener("click", focus);
      release();
      editor.destroy();
    };
  }, [id, settings]);
  useLayoutEffect(() => {
    view.current?.dispatch({ effects: settings.reconfigure(settingsOf(latest.current)) });
  }, [settings, label, isLong, isReadOnly, isInvalid, isRequired]);
  const shown = useRef(text);
  useLayoutEffect(() => {
    // Only what was changed elsewhere, by an undo or a mapped value.
    if (shown.current === text) return;
    shown.current = text;
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text)
      editor.dispatch({ changes: textDifference(editor.state.doc.toString(), text) });
  }, [text]);
  useEffect(() => {
    // The names may arrive after the first keys.
    const editor = view.current;
    if (editor?.hasFocus && names.offers.length > 0 && isTyping.has(editor)) startCompletion(editor);
  }, [names]);
  return <div ref={host} id={id} className="code-editor" />;
}

/** Editors in which a name was typed before the names were there. */
const isTyping = new WeakSet<EditorView>();

type Latest = RefObject<ExpressionEditorProps>;

function settingsOf(props: ExpressionEditorProps): Extension {
  const { label, isLong, isReadOnly, isInvalid, isRequired } = props;
  return [
    isLong ? [] : Prec.high(keymap.of([{ key: "Enter", run: () => true }])),
    isLong ? [] : EditorView.clipboardInputFilter.of((pasted) => pasted.trim().replace(/\s*\n\s*/g, " ")),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of(({ state }) => ({
      "aria-label": label,
      ...roleAttributes(isLong, currentCompletions(state).length > 0),
      ...(isInvalid ? { "aria-invalid": "true" } : {}),
      ...(isRequired ? { "aria-required": "true" } : {}),
      spellcheck: "false",
    })),
  ];
}

/** A field of one line is a combobox; one of several lines is a text box, and a combobox while its list is open. */
function roleAttributes(isLong: boolean, isListOpen: boolean): Record<string, string> {
  return isLong && !isListOpen
    ? { "aria-multiline": "true" }
    : { role: "combobox", "aria-multiline": "false", "aria-expanded": String(isListOpen) };
}

function setUp(latest: Latest): Extension {
  const { placeholder: hint } = latest.current;
  return [
    history(),
    // Before the keys of the completion, which have the same precedence.
    Prec.highest(keymap.of([{ key: "Escape", run: closeList }])),
    autocompletion({
      override: [(context) => suggestions(context, latest.current)],
      icons: false,
      // A list that can be seen takes the keys at once.
      interactionDelay: 0,
      activateOnCompletion: (completion) => hasMore(completion, latest.current.names),
      optionClass: () => "expression-choice",
      addToOptions: [{ position: 90, render: noteOf }],
    }),
    keymap.of([...standardKeymap, ...historyKeymap]),
    EditorView.inputHandler.of((editor, from, to, typed) =>
      BRACED.has(latest.current.language) && from === to ? typeBrace(editor, from, typed) : false,
    ),
    colours(latest),
    bracketMatching(),
    CODE_LOOK,
    LOOK,
    EditorView.lineWrapping,
    EditorState.phrases.of({ Completions: "Suggestions" }),
    hint ? placeholder(hint) : [],
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      if (text !== latest.current.text) latest.current.onType(text);
    }),
    EditorView.domEventHandlers({
      blur: () => latest.current.onLeave(),
      // The field around the editor inserts the value where it was dropped.
      drop(event, editor) {
        if (!event.dataTransfer?.types.includes(PATH_DRAG_TYPE)) return false;
        const at = editor.posAtCoords({ x: event.clientX, y: event.clientY }) ?? editor.state.doc.length;
        editor.dispatch({ selection: { anchor: at } });
        return true;
      },
    }),
  ];
}

/** Escape closes the list if there is one; else it leaves the field, even while names are searched for. */
function closeList(editor: EditorView): boolean {
  const isShown = editor.dom.querySelector(".cm-tooltip-autocomplete") !== null;
  closeCompletion(editor);
  return isShown;
}

/** Languages whose expressions are in double braces. */
const BRACED: ReadonlySet<Language> = new Set<Language>(["value", "config", "prompt"]);

/** `{{` becomes `{{ | }}`; what is there already is passed, not typed again. */
function typeBrace(editor: EditorView, at: number, typed: string): boolean {
  const text = editor.state.doc.toString();
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const pass = (anchor: number) => (editor.dispatch({ selection: { anchor } }), true);
  if (typed === " " && before.endsWith("{{ ") && after.startsWith(" }}")) return true;
  if (typed === "}" && after.startsWith(" }}")) {
    // The space that was typed before it is there already, too.
    const from = before.trimEnd().endsWith("{{") ? at : before.trimEnd().length;
    editor.dispatch({ changes: { from, to: at }, selection: { anchor: from + 2 }, userEvent: "input.type" });
    return true;
  }
  if (typed === "}" && before.endsWith("}") && after.startsWith("}")) return pass(at + 1);
  if (typed !== "{" || !/(^|[^{])\{$/.test(before)) return false;
  editor.dispatch({
    changes: { from: at, insert: "{" },
    selection: { anchor: at + 1 },
    userEvent: "input.type",
  });
  closeOpened(editor);
  startCompletion(editor);
  return true;
}

/** Closes the braces before the caret, unless they are closed. */
function closeOpened(editor: EditorView): void {
  const at = editor.state.selection.main.head;
  const text = editor.state.doc.toString();
  const rest = text.slice(at);
  const [end, next] = [rest.indexOf("}}"), rest.indexOf("{{")];
  const isClosed = end >= 0 && (next < 0 || end < next);
  if (!/(^|[^{])\{\{$/.test(text.slice(0, at)) || isClosed) return;
  editor.dispatch({ changes: { from: at, insert: "  }}" }, selection: { anchor: at + 1 } });
}

function suggestions(
  context: CompletionContext,
  { language, names }: ExpressionEditorProps,
): CompletionResult | null {
  const text = context.state.doc.toString();
  const offered = complete(text, context.pos, language, names, context.explicit);
  if (context.view) isTyping[names.offers.length === 0 ? "add" : "delete"](context.view);
  if (!offered) return null;
  const options = offered.choices.map((choice) => optionOf(choice, offered));
  return { from: offered.from, to: offered.to, options, filter: false };
}

interface NotedCompletion extends Completion {
  note: string;
  inserts: string;
}

function optionOf(choice: Choice, offered: Offered): NotedCompletion {
  return {
    label: safeText(choice.title).text,
    detail: choice.kind,
    note: safeText(choice.note).text,
    inserts: choice.insert,
    apply(editor, completion, from, to) {
      const applied = applyChoice(editor.state.doc.toString(), { ...offered, from, to }, choice);
      editor.dispatch({
        changes: { from: 0, to: editor.state.doc.length, insert: applied.text },
        selection: { anchor: applied.caret },
        annotations: pickedCompletion.of(completion),
        userEvent: "input.complete",
      });
    },
  };
}

/** Whether the chosen value has fields to choose from. */
function hasMore(completion: Completion, { offers }: CompletionNames): boolean {
  const { inserts } = completion as NotedCompletion;
  return offers.some(({ path }) => path !== inserts && path.startsWith(inserts));
}

function noteOf(completion: Completion): HTMLElement | null {
  const { note } = completion as NotedCompletion;
  if (!note) return null;
  const element = document.createElement("span");
  element.className = "expression-note";
  element.textContent = note;
  return element;
}

function colours(latest: Latest): Extension {
  const marks = (state: EditorState): DecorationSet => {
    const tokens = expressionTokens(state.doc.toString(), latest.current.language);
    return Decoration.set(tokens.map(({ from, to, kind }): Range<Decoration> => MARKS[kind].range(from, to)));
  };
  return ViewPlugin.define(
    (editor) => ({
      decorations: marks(editor.state),
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = marks(update.state);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );
}

const mark = (kind: string) => Decoration.mark({ class: `expression-${kind}` });
const MARKS = {
  brace: mark("brace"),
  text: mark("text"),
  number: mark("number"),
  word: mark("number"),
  call: mark("call"),
  name: mark("name"),
  operator: mark("operator"),
};

const LOOK = EditorView.theme({
  ".cm-content": { padding: "5px 0" },
  ".cm-line": { padding: "0 9px" },
  ".cm-placeholder": { color: "var(--ink-faint)" },
  ".expression-brace, .expression-operator": { color: "var(--ink-faint)" },
  ".expression-name": { color: "var(--accent)" },
  ".expression-call": { color: "var(--family-mcp)" },
  ".expression-text": { color: "var(--good)" },
  ".expression-number": { color: "var(--warn)" },
  ".cm-tooltip": {
    overflow: "hidden",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--surface-raised)",
    boxShadow: "var(--shadow-high)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    minWidth: "260px",
    maxWidth: "min(420px, 90vw)",
    maxHeight: "232px",
    padding: "4px",
    fontFamily: "var(--font)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "grid",
    gridTemplateColumns: "minmax(0, 1fr) auto",
    gap: "0 8px",
    padding: "4px 7px",
    borderRadius: "5px",
    color: "var(--ink)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft) !important",
    color: "var(--ink) !important",
  },
  ".cm-completionLabel": {
    font: "500 12px / 1.4 var(--mono)",
    overflowWrap: "anywhere",
    whiteSpace: "normal",
  },
  ".cm-completionDetail": { margin: "0", color: "var(--ink-faint)", fontSize: "11px", fontStyle: "normal" },
  ".expression-note": {
    gridColumn: "1 / -1",
    overflow: "hidden",
    color: "var(--ink-soft)",
    fontSize: "11px",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
  },
});
