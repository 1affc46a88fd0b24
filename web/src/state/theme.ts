/** The theme: the user's choice, else the system setting, followed when it changes. */

import { createStore } from "zustand/vanilla";
import { readStored, writeStored } from "../api/storage";

export type Theme = "light" | "dark";
export type ThemeChoice = Theme | "system";
const STORAGE_KEY = "toolweave.theme";
const systemTheme = window.matchMedia("(prefers-color-scheme: dark)");

function themeOf(choice: ThemeChoice): Theme {
  if (choice !== "system") return choice;
  return systemTheme.matches ? "dark" : "light";
}

function initialTheme(): { choice: ThemeChoice; theme: Theme } {
  const saved = readStored("localStorage", STORAGE_KEY);
  const choice = saved === "light" || saved === "dark" ? saved : "system";
  return { choice, theme: themeOf(choice) };
}

export const themeStore = createStore<{ choice: ThemeChoice; theme: Theme }>(initialTheme);

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = themeStore.getState().theme;
}

export function chooseTheme(choice: ThemeChoice): void {
  writeStored("localStorage", STORAGE_KEY, choice);
  themeStore.setState({ choice, theme: themeOf(choice) });
  applyTheme();
}

export function toggleTheme(): void {
  chooseTheme(themeStore.getState().theme === "dark" ? "light" : "dark");
}

systemTheme.addEventListener("change", () => {
  const { choice } = themeStore.getState();
  themeStore.setState({ theme: themeOf(choice) });
  applyTheme();
});
