/** What the user starred, in the browser's storage: workflows by name, kinds of nodes by reference. */

import { createStore } from "zustand/vanilla";
import { readStored, writeStored } from "../api/storage";

export type FavoriteKind = "workflows" | "nodes";

const keyOf = (kind: FavoriteKind) => `toolweave.favorite-${kind}`;

function read(kind: FavoriteKind): readonly string[] {
  try {
    const stored = JSON.parse(readStored("localStorage", keyOf(kind)) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export const favoriteStore = createStore<Record<FavoriteKind, readonly string[]>>(() => ({
  workflows: read("workflows"),
  nodes: read("nodes"),
}));

/** Stars it, or removes the star. What another tab starred meanwhile is kept. */
export function toggleFavorite(kind: FavoriteKind, id: string): void {
  const before = read(kind);
  const after = before.includes(id) ? before.filter((other) => other !== id) : [...before, id];
  writeStored("localStorage", keyOf(kind), JSON.stringify(after));
  favoriteStore.setState({ [kind]: after });
}
