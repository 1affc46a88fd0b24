/** Finds nodes and tools by the words that a user types. */

import type { CatalogEntry } from "./catalog";
import { entryTitle } from "./catalog";
import { familyOf } from "./families";
import type { Workflow } from "./workflow";

export interface SearchOptions {
  most?: number;
  /** References, the last used one first. */
  recent?: readonly string[];
  /** Entries that come after others which match as well. */
  isUnlikely?(entry: CatalogEntry): boolean;
}

interface Match {
  entry: CatalogEntry;
  /** One for each word; 0 where it does not match. */
  scores: number[];
  weight: number;
}

/**
 * Entries that match a search, best first: the exact name, then kinds of nodes, then tools, each by name and
 * keyword; what matches only by its description comes last. Of those that match by name, or by keyword, recent
 * ones come first.
 * Where no name has all of the words, as with "get weather", some of them suffice.
 */
export function searchEntries(
  entries: readonly CatalogEntry[],
  typed: string,
  { most = 60, recent = [], isUnlikely = () => false }: SearchOptions = {},
): CatalogEntry[] {
  const words = [...new Set(typed.toLowerCase().split(/\s+/).filter(Boolean))];
  const recency = new Map(recent.map((ref, at) => [ref, recent.length - at]));
  return matchesOf(entries, words)
    .map(({ entry, scores, weight }) => {
      const score = Math.min(EXACT, ...scores);
      const tier = words.length === 0 ? 0 : tierOf(entry, score);
      const isByName = words.length === 0 || score >= BY_NAME;
      const recent = recency.get(entry.ref) ?? 0;
      const order = [-weight, tier, Number(isUnlikely(entry)), -Number(isByName), -recent, -score];
      return { entry, order };
    })
    .sort((a, b) => a.order.map((rank, at) => rank - b.order[at]!).find((by) => by !== 0) ?? 0)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** Whether an entry is rarely what a workflow needs next: a start or end that it has, a frame, a note. */
export function isUnlikelyNext(workflow: Workflow, entry: CatalogEntry): boolean {
  const isThere = ENDS.has(entry.type) && workflow.nodes.some(({ type }) => type === entry.type);
  return isThere || familyOf(entry.type) === "note" || isSecondTrigger(workflow, entry);
}

const ENDS: ReadonlySet<string> = new Set(["start", "end"]);

/** A workflow that begins already needs an action rather than a second trigger. */
export function isSecondTrigger({ nodes, connections }: Workflow, entry: CatalogEntry): boolean {
  const hasBegun = connections.length > 0 || nodes.some(({ type }) => type === "TRIGGER");
  return hasBegun && (entry.type === "TRIGGER" || entry.type === "start");
}

/** Entries that match all words; if none does by its name, those that match some. */
function matchesOf(entries: readonly CatalogEntry[], words: readonly string[]): Match[] {
  const all = entries.map((entry) => ({
    entry,
    scores: words.map((word) => scoreOf(entry, word)),
    weight: 0,
  }));
  const full = all.filter(({ scores }) => scores.every((score) => score > 0));
  if (words.length < 2 || full.some(({ scores }) => Math.min(...scores) > ONLY_DESCRIPTION)) return full;
  // A word that few names match says more about what is looked for; several servers may have a tool of one name,
  // and the name of a server matches all of its tools.
  const counts = words.map((_, at) => {
    const named = all.filter(({ scores }) => scores[at]! > 0 && scores[at] !== BY_SERVER);
    return new Set(named.map(({ entry }) => entryTitle(entry))).size;
  });
  const weightOf = (scores: number[]) =>
    scores.reduce((sum, score, at) => sum + score / Math.max(counts[at]!, 1), 0);
  return all
    .map((match) => ({ ...match, weight: weightOf(match.scores) }))
    .filter(({ weight }) => weight > 0);
}

const EXACT = 100;
const BY_NAME = 60;
const BY_SERVER = 50;
const ONLY_DESCRIPTION = 10;

function tierOf({ server }: CatalogEntry, score: number): number {
  if (score === EXACT) return 0;
  return (score <= ONLY_DESCRIPTION ? 3 : 1) + Number(server !== null);
}

function scoreOf(entry: CatalogEntry, word: string): number {
  const title = entryTitle(entry).toLowerCase();
  if (title === word) return EXACT;
  if (title.startsWith(word)) return 80;
  if (title.includes(word)) return BY_NAME;
  if (entry.server?.toLowerCase().includes(word)) return BY_SERVER;
  if (entry.ref.toLowerCase().includes(word)) return 40;
  if (entry.keywords.some((keyword) => keyword.toLowerCase().startsWith(word))) return 30;
  return entry.summary.toLowerCase().includes(word) ? ONLY_DESCRIPTION : 0;
}
