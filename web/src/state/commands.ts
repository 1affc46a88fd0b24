/** Every action by name and key, in one place: keys, menus and the command list read it. */

import { createStore } from "zustand/vanilla";

export interface Command {
  id: string;
  title: string;
  /** `mod+z`: `mod` is Ctrl, or Command on a Mac. Several are apart by a blank. */
  keys?: string;
  /** Works while a text field has the focus, too. */
  inFields?: boolean;
  /** `canvas`: not within a panel, whose own keys they are. `node`: only on the canvas itself. */
  at?: "canvas" | "node";
  /** The key is left to the browser, whose own event does it. */
  isNative?: boolean;
  isDisabled?(): boolean;
  run(): void;
}

export interface CommandState {
  commands: readonly Command[];
  /** Whether a letter alone is a command: who dictates, or leans on keys, turns that off. */
  hasLetterKeys: boolean;
}

export const commandStore = createStore<CommandState>(() => ({ commands: [], hasLetterKeys: true }));

/** Where the focus is: in a text field, in a panel, on the canvas, or nowhere in particular. */
export type FocusArea = "field" | "panel" | "canvas" | "page";

/** Adds commands until the returned function is called. */
export function registerCommands(commands: readonly Command[]): () => void {
  commandStore.setState((state) => ({ commands: [...state.commands, ...commands] }));
  return () =>
    commandStore.setState((state) => ({
      commands: state.commands.filter((command) => !commands.includes(command)),
    }));
}

export function runCommand(id: string): void {
  const command = commandStore.getState().commands.find((command) => command.id === id);
  if (command && !command.isDisabled?.()) command.run();
}

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** The command of a key press, if there is one for where the focus is. */
export function commandFor(event: KeyPress, where: FocusArea): Command | undefined {
  const pressed = keyCombination(event);
  const { commands, hasLetterKeys } = commandStore.getState();
  if (pressed.length === 1 && !hasLetterKeys) return undefined;
  return commands.findLast(
    (command) =>
      command.keys?.split(" ").includes(pressed) && isAvailableIn(command, where) && !command.isDisabled?.(),
  );
}

function isAvailableIn({ inFields, at }: Command, where: FocusArea): boolean {
  if (where === "field") return inFields === true;
  if (at === "node") return where === "canvas";
  return at === undefined || where !== "panel";
}

export function keyCombination({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyPress): string {
  const name = key === " " ? "space" : key.toLowerCase();
  const isLetter = /^[a-z]$/.test(name);
  // Shift is part of what `?` is; of a letter or a named key it is said.
  const withShift = shiftKey && (isLetter || key.length > 1);
  return [ctrlKey || metaKey ? "mod" : "", altKey ? "alt" : "", withShift ? "shift" : "", name]
    .filter(Boolean)
    .join("+");
}

/** Keys as people read them: `Ctrl Shift Z`. */
export function formatKeys(keys: string | undefined): string {
  const first = keys?.split(" ")[0];
  if (!first) return "";
  return first
    .split("+")
    .map(
      (part) =>
        KEY_NAMES[part] ??
        (part.length === 1 ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1)),
    )
    .join(" ");
}

const KEY_NAMES: Record<string, string> = {
  mod: "Ctrl",
  enter: "↵",
  backspace: "⌫",
  delete: "Del",
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
  escape: "Esc",
};
