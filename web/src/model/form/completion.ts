/** Completion in expressions: names and functions that match the text before the caret. */

import type { Schemas } from "../../api/client";

export type Offer = Schemas["CompletionResponse"];
export type Callable = Schemas["FunctionResponse"];
export type Language = Schemas["NodeNamesResponse"]["languages"][string];

export interface CompletionNames {
  offers: readonly Offer[];
  functions: readonly Callable[];
}

export interface Choice {
  /** The text that replaces the word at the caret. */
  insert: string;
  title: string;
  kind: string;
  note: string;
}

export interface Completion {
  /** The start and the end of the word at the caret. */
  from: number;
  to: number;
  /** Braces that are missing around it. */
  before: string;
  after: string;
  choices: Choice[];
}

const MAX_CHOICES = 40;
// A path up to the caret: `nodes.a.output[0].tit`, `nodes['a-b'].ou`, or nothing.
const WORD = /(?:[A-Za-z_]\w*(?:\.\w*|\[(?:\d*|'[^'\]]*'?|"[^"\]]*"?)\]?)*)?$/;
// An operator or bracket, after which a value is expected.
const EXPECTS_VALUE = /[{([,+\-*/%<>=&|!?:]\s*$/;
const WHOLE_TEXT: ReadonlySet<Language> = new Set<Language>(["own", "words"]);

/** The choices at a caret; null in plain text. `isAsked` inserts new braces there. */
export function complete(
  text: string,
  caret: number,
  language: Language,
  { offers, functions }: CompletionNames,
  isAsked = false,
): Completion | null {
  const placeholder = WHOLE_TEXT.has(language)
    ? { isOpen: true, isClosed: true }
    : placeholderAt(text, caret, language);
  if (!placeholder.isOpen && !isAsked) return null;
  const begun = text.slice(0, caret);
  const word = placeholder.isOpen ? (WORD.exec(begun)?.[0] ?? "") : "";
  if (word === "" && !isAsked && !EXPECTS_VALUE.test(begun)) return null;
  const canCall = language !== "prompt" && language !== "flow";
  const choices = [...nameChoices(word, offers), ...(canCall ? functionChoices(word, functions) : [])].slice(
    0,
    MAX_CHOICES,
  );
  if (choices.length === 0) return null;
  const [opening, closing] = language === "flow" ? ["{", "}"] : ["{{ ", " }}"];
  return {
    from: caret - word.length,
    to: caret,
    before: placeholder.isOpen ? "" : opening,
    after: placeholder.isClosed ? "" : closing,
    choices,
  };
}

/** The text with a choice inserted, and the new position of the caret. */
export function applyChoice(
  text: string,
  { from, to, before, after }: Completion,
  { insert }: Choice,
): { text: string; caret: number } {
  const written = text.slice(0, from) + before + insert;
  return { text: written + after + text.slice(to), caret: written.length };
}

function placeholderAt(
  text: string,
  caret: number,
  language: Language,
): { isOpen: boolean; isClosed: boolean } {
  const [open, close] = language === "flow" ? ["{", "}"] : ["{{", "}}"];
  const begun = text.slice(0, caret);
  const isOpen = begun.lastIndexOf(open) > begun.lastIndexOf(close);
  const rest = text.slice(caret);
  const [next, end] = [rest.indexOf(open), rest.indexOf(close)];
  return { isOpen, isClosed: isOpen && end >= 0 && (next < 0 || end < next) };
}

/** Paths that continue the word, then paths with a part that starts with it; short ones first. */
function nameChoices(word: string, offers: readonly Offer[]): Choice[] {
  const typed = word.toLowerCase();
  const scored = offers
    .map((offer) => ({ offer, score: scoreOf(offer.path.toLowerCase(), typed) }))
    .filter(({ offer, score }) => score > 0 && offer.path !== word);
  scored.sort((a, b) => b.score - a.score);
  return scored.map(({ offer }) => ({
    insert: offer.path,
    title: offer.path,
    kind: offer.kind,
    note: offer.sample ?? offer.about ?? "",
  }));
}

function scoreOf(path: string, typed: string): number {
  const depth = path.split(/[.[]/).length;
  if (path.startsWith(typed)) return 1_000 - depth;
  const isPart =
    typed !== "" && !/[.[]/.test(typed) && path.split(/[.[\]'"]+/).some((part) => part.startsWith(typed));
  return isPart ? 500 - depth : 0;
}

function functionChoices(word: string, functions: readonly Callable[]): Choice[] {
  const dot = word.lastIndexOf(".");
  const typed = word.slice(dot + 1).toLowerCase();
  // Listing all functions before anything is typed would not help.
  if (dot < 0 && typed === "") return [];
  return functions
    .filter((callable) => callable.isMethod === dot >= 0 && callable.name.toLowerCase().startsWith(typed))
    .map((callable) => ({
      insert: `${word.slice(0, dot + 1)}${callable.name}(`,
      title: callable.call,
      kind: callable.gives,
      note: "function",
    }));
}
