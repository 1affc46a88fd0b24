/** A field for a text that may have expressions, with completion while it is typed. */

import type { ComponentType, KeyboardEvent, RefObject } from "react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Choice, Completion, Language, CompletionNames } from "../../model/form/completion";
import { complete, applyChoice } from "../../model/form/completion";
import { hasExpression } from "../../model/form/expressionTokens";
import { safeText } from "../../model/text/untrusted";
import type { FieldAria } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";
import type { ExpressionEditorProps } from "./ExpressionEditor";
import "./expression.css";

interface Props {
  id: string;
  label: string;
  text: string;
  language: Language;
  names: CompletionNames;
  isLong: boolean;
  isCode: boolean;
  isReadOnly: boolean;
  placeholder?: string | undefined;
  isRequired?: boolean | undefined;
  /** There is no element with the label on the page. */
  hasNoLabel?: boolean;
  said: FieldAria;
  /** Values to choose from in addition, inserted as they are. */
  proposals?: readonly string[] | undefined;
  onType(text: string): void;
  onLeave(): void;
}

type TextControl = HTMLInputElement & HTMLTextAreaElement;

/**
 * A plain text is edited in a field of the browser, an expression in an editor with syntax colours. The editor takes
 * the place of the field, caret and all, as soon as a brace is typed, and stays for as long as the form is open.
 */
export function ExpressionBox(props: Props) {
  const { id, label, text, language, isLong, isReadOnly, said, onType, onLeave } = props;
  const Editor = useEditorComponent();
  const wrapper = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<{ caret: number | null } | null>(null);
  const isChoice = props.proposals !== undefined && !text.includes("{{");
  const wantsEditor = Editor !== null && !isChoice && hasExpression(text, language);
  useLayoutEffect(() => {
    if (wantsEditor && !shown) setShown({ caret: caretWithin(wrapper.current) });
  }, [wantsEditor, shown]);
  return (
    <div ref={wrapper} className="expression">
      {shown && Editor ? (
        <div
          role="group"
          aria-label={`${label} editor`}
          aria-describedby={said["aria-describedby"]}
          className={said["aria-invalid"] ? "code-field code-field--invalid" : "code-field"}
        >
          <Editor
            id={id}
            label={label}
            text={text}
            language={language}
            names={props.names}
            isLong={isLong}
            isReadOnly={isReadOnly}
            isInvalid={said["aria-invalid"] ?? false}
            isRequired={props.isRequired ?? false}
            placeholder={props.placeholder}
            caret={shown.caret}
            onType={onType}
            onLeave={onLeave}
          />
        </div>
      ) : (
        <PlainBox {...props} />
      )}
    </div>
  );
}

/** Where the user types, if it is in this field. */
function caretWithin(element: HTMLElement | null): number | null {
  const focused = document.activeElement;
  return focused && element?.contains(focused) ? (focused as TextControl).selectionStart : null;
}

type EditorComponent = ComponentType<ExpressionEditorProps>;
let loadedEditor: EditorComponent | null = null;

/** The editor once it is loaded, which begins when the first field is shown; until then null. */
function useEditorComponent(): EditorComponent | null {
  const [component, setComponent] = useState(() => loadedEditor);
  useEffect(() => {
    if (component) return;
    let isGone = false;
    void import("./ExpressionEditor").then(
      (loaded) => {
        loadedEditor = loaded.default;
        if (!isGone) setComponent(() => loaded.default);
      },
      () => undefined, // without it, the plain field does the same
    );
    return () => {
      isGone = true;
    };
  }, [component]);
  return component;
}

function PlainBox(props: Props) {
  const { id, text, isLong, isCode, isReadOnly, onLeave } = props;
  const box = useRef<TextControl>(null);
  const list = useCompletion(props, box);
  const shared = {
    id,
    ref: box,
    value: text,
    placeholder: props.placeholder,
    readOnly: isReadOnly,
    "aria-label": props.hasNoLabel ? props.label : undefined,
    "aria-autocomplete": "list" as const,
    "aria-controls": list.completion ? `${id}-names` : undefined,
    "aria-activedescendant":
      list.completion && list.activeIndex >= 0 ? `${id}-names-${list.activeIndex}` : undefined,
    ...props.said,
    "aria-required": props.isRequired,
    onKeyDown: list.press,
    onBlur: () => (list.close(), onLeave()),
    onClick: list.close,
  };
  const code = isCode ? "--code" : "";
  return (
    <>
      {isLong ? (
        <textarea
          {...shared}
          className={`textarea textarea${code}`}
          rows={4}
          aria-haspopup="listbox"
          onChange={(event) => list.type(event.target.value, event.target.selectionStart)}
        />
      ) : (
        <input
          {...shared}
          className={`input input${code}`}
          type="text"
          role="combobox"
          aria-expanded={list.completion !== null}
          autoComplete="off"
          spellCheck={!isCode}
          onChange={(event) => list.type(event.target.value, event.target.selectionStart ?? 0)}
        />
      )}
      {list.completion && (
        <Choices
          id={id}
          choices={list.completion.choices}
          activeIndex={list.activeIndex}
          onTake={list.take}
        />
      )}
    </>
  );
}

/** The completion list: opened by typing or Ctrl+Space, navigated with arrows, accepted with Enter. */
function useCompletion(
  { text, language, names, proposals, isReadOnly, onType }: Props,
  box: RefObject<TextControl | null>,
) {
  const [openAt, setOpenAt] = useState<{ place: number; isAsked: boolean } | null>(null);
  const [selectedIndex, setSelectedIndex] = useState<number | null>(null);
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current !== null) box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  // Recomputed when the names arrive, which may be after the first keys.
  const completion = useMemo(
    () =>
      openAt && !isReadOnly
        ? (complete(text, openAt.place, language, names, openAt.isAsked) ??
          proposalsFor(text, proposals, openAt.isAsked))
        : null,
    [openAt, isReadOnly, text, language, names, proposals],
  );
  // Nothing is preselected before the user typed a part of it.
  const activeIndex =
    selectedIndex ?? (completion && openAt && (completion.to > completion.from || openAt.isAsked) ? 0 : -1);
  const openList = (place: number, isAsked: boolean) => (
    setOpenAt({ place, isAsked }),
    setSelectedIndex(null)
  );
  const close = () => setOpenAt(null);
  const take = (choice: Choice) => {
    if (!completion) return;
    const applied = applyChoice(text, completion, choice);
    caret.current = applied.caret;
    onType(applied.text);
    const next = complete(applied.text, applied.caret, language, names);
    const continues = next?.choices.some(
      ({ insert }) => insert !== choice.insert && insert.startsWith(choice.insert) && !insert.endsWith("("),
    );
    setOpenAt(continues ? { place: applied.caret, isAsked: false } : null);
    setSelectedIndex(-1);
    box.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const place = box.current?.selectionStart ?? text.length;
    if (event.key === " " && event.ctrlKey) openList(place, true);
    else if (!completion) return;
    else if (event.key === "ArrowDown") setSelectedIndex((activeIndex + 1) % completion.choices.length);
    else if (event.key === "ArrowUp")
      setSelectedIndex(activeIndex <= 0 ? completion.choices.length - 1 : activeIndex - 1);
    else if (event.key === "Enter" && activeIndex >= 0) take(completion.choices[activeIndex]!);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (typed: string, place: number) => {
    onType(typed);
    openList(place, false);
  };
  return { completion, activeIndex, press, type, take, close };
}

/** Suggested values of the field, if no expression is being typed. */
function proposalsFor(
  typed: string,
  proposals: readonly string[] | undefined,
  isAsked: boolean,
): Completion | null {
  if (!proposals || (typed === "" && !isAsked)) return null;
  const matching = proposals.filter(
    (proposal) => proposal !== typed && proposal.toLowerCase().includes(typed.toLowerCase()),
  );
  const choices = matching
    .slice(0, 40)
    .map((proposal) => ({ insert: proposal, title: proposal, kind: "", note: "" }));
  return choices.length ? { from: 0, to: typed.length, before: "", after: "", choices } : null;
}

interface ChoicesProps {
  id: string;
  choices: readonly Choice[];
  activeIndex: number;
  onTake(choice: Choice): void;
}

function Choices({ id, choices, activeIndex, onTake }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [activeIndex, choices]);
  return (
    <div ref={list} id={`${id}-names`} className="expression__names" role="listbox" aria-label="Suggestions">
      {choices.map((choice, index) => (
        <div
          key={choice.title}
          id={`${id}-names-${index}`}
          className="expression__name"
          role="option"
          aria-selected={index === activeIndex}
          // Before the field loses focus.
          onMouseDown={(event) => (event.preventDefault(), onTake(choice))}
        >
          <span className="expression__path">
            <Untrusted {...safeText(choice.title)} />
          </span>
          <span className="expression__kind">{choice.kind}</span>
          <span className="expression__note">
            <Untrusted {...safeText(choice.note)} />
          </span>
        </div>
      ))}
    </div>
  );
}
