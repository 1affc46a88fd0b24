/** A field for an expression, with completion while it is typed. */

import type { KeyboardEvent, RefObject } from "react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Choice, Completion, Language, CompletionNames } from "../../model/form/completion";
import { complete, applyChoice } from "../../model/form/completion";
import { safeText } from "../../model/text/untrusted";
import type { FieldAria } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";
import "./expression.css";

interface Props {
  id: string;
  text: string;
  language: Language;
  names: CompletionNames;
  isLong: boolean;
  isCode: boolean;
  isReadOnly: boolean;
  placeholder?: string | undefined;
  isRequired?: boolean | undefined;
  said: FieldAria;
  /** Values to choose from in addition, inserted as they are. */
  proposals?: readonly string[] | undefined;
  onType(text: string): void;
  onLeave(): void;
}

type TextControl = HTMLInputElement & HTMLTextAreaElement;

export function ExpressionBox(props: Props) {
  const { id, text, isLong, isCode, isReadOnly, onLeave } = props;
  const box = useRef<TextControl>(null);
  const list = useCompletion(props, box);
  const shared = {
    id,
    ref: box,
    value: text,
    placeholder: props.placeholder,
    readOnly: isReadOnly,
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
    <div className="expression">
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
    </div>
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
