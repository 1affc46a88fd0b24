/** The kinds of nodes that were added last, in the browser's storage; they come first in the node search. */

import { readStored, writeStored } from "../api/storage";

const KEY = "toolweave.recent-nodes";
const MAX_RECENT = 8;

/** References of catalog entries, the last one first. */
export function recentNodes(): string[] {
  try {
    const stored = JSON.parse(readStored("localStorage", KEY) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter((ref) => typeof ref === "string") : [];
  } catch {
    return [];
  }
}

export function rememberNode(ref: string): void {
  const refs = [ref, ...recentNodes().filter((other) => other !== ref)].slice(0, MAX_RECENT);
  writeStored("localStorage", KEY, JSON.stringify(refs));
}
