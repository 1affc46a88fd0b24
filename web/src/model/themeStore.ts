/** Light or dark: as chosen, else as the system is. */

import { createStore } from "zustand/vanilla";
import { readStored, store } from "../api/storage";

export type Theme = "light" | "dark";
const STORED = "toolweave.theme";

function first(): Theme {
  const chosen = readStored("localStorage", STORED);
  if (chosen === "light" || chosen === "dark") return chosen;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const themeStore = createStore<{ theme: Theme }>(() => ({ theme: first() }));

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = themeStore.getState().theme;
}

export function toggleTheme(): void {
  const theme = themeStore.getState().theme === "dark" ? "light" : "dark";
  store("localStorage", STORED, theme);
  themeStore.setState({ theme });
  applyTheme();
}
