/** What can stand at the caret of an expression: names and functions that begin like what is typed. */

import type { Schemas } from "../../api/client";

export type Offer = Schemas["OfferShape"];
export type Callable = Schemas["FunctionShape"];
export type Language = Schemas["NamesShape"]["languages"][string];

export interface CompletionNames {
  offers: readonly Offer[];
  functions: readonly Callable[];
}

export interface Choice {
  /** What is written in the place of the word at the caret. */
  insert: string;
  title: string;
  kind: string;
  note: string;
}

export interface Completion {
  /** The word at the caret: where it begins and ends. */
  from: number;
  to: number;
  /** What is still missing around it. */
  before: string;
  after: string;
  choices: Choice[];
}

const MAX_CHOICES = 40;
// A path up to the caret: `nodes.a.output[0].tit`, `nodes['a-b'].ou`, or nothing.
const WORD = /(?:[A-Za-z_]\w*(?:\.\w*|\[(?:\d*|'[^'\]]*'?|"[^"\]]*"?)\]?)*)?$/;
// Where something has to come next.
const EXPECTS_VALUE = /[{([,+\-*/%<>=&|!?:]\s*$/;
const WHOLE_TEXT: ReadonlySet<Language> = new Set<Language>(["own", "words"]);

/** The choices at a caret; nothing where text is only text. `isAsked` offers a new hole there. */
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

/** The text with a choice taken, and where the caret is then. */
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

/** Paths that go on from the word, then those with a part that begins so; the short ones first. */
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
  // A list of all functions before anything is typed says nothing.
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
