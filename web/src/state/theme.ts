/** Light or dark: as chosen, else as the system is, also when that changes. */

import { createStore } from "zustand/vanilla";
import { readStored, store } from "../api/storage";

export type Theme = "light" | "dark";
export type Choice = Theme | "system";
const STORED = "toolweave.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

function themeOf(choice: Choice): Theme {
  if (choice !== "system") return choice;
  return system.matches ? "dark" : "light";
}

function first(): { choice: Choice; theme: Theme } {
  const stored = readStored("localStorage", STORED);
  const choice = stored === "light" || stored === "dark" ? stored : "system";
  return { choice, theme: themeOf(choice) };
}

export const themeStore = createStore<{ choice: Choice; theme: Theme }>(first);

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = themeStore.getState().theme;
}

export function chooseTheme(choice: Choice): void {
  store("localStorage", STORED, choice);
  themeStore.setState({ choice, theme: themeOf(choice) });
  applyTheme();
}

export function toggleTheme(): void {
  chooseTheme(themeStore.getState().theme === "dark" ? "light" : "dark");
}

system.addEventListener("change", () => {
  const { choice } = themeStore.getState();
  themeStore.setState({ theme: themeOf(choice) });
  applyTheme();
});
