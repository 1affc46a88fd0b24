import { expect, test, vi } from "vitest";
import { favoriteStore, toggleFavorite } from "./favorites";

const stored = vi.hoisted(() => {
  const values = new Map<string, string>([["toolweave.favorite-nodes", "not JSON"]]);
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => values.set(name, value),
    },
  });
  return values;
});

test("a star is stored, kept beside those of another tab, and removed", () => {
  expect(favoriteStore.getState()).toEqual({ workflows: [], nodes: [] });
  toggleFavorite("workflows", "trip");
  stored.set("toolweave.favorite-workflows", '["trip", "of-another-tab"]');
  toggleFavorite("workflows", "mail");
  expect(favoriteStore.getState().workflows).toEqual(["trip", "of-another-tab", "mail"]);
  toggleFavorite("workflows", "trip");
  expect(stored.get("toolweave.favorite-workflows")).toBe('["of-another-tab","mail"]');
  toggleFavorite("nodes", "FLOW.IF");
  expect(favoriteStore.getState().nodes).toEqual(["FLOW.IF"]);
});
