/** All commands with their keys, in one place for shortcuts, menus and the command palette. */

import { createStore } from "zustand/vanilla";

export interface Command {
  id: string;
  title: string;
  /** `mod+z`: `mod` is Ctrl, or Command on a Mac. Alternatives are separated by spaces. */
  keys?: string;
  /** Also available while a text field has the focus. */
  inFields?: boolean;
  /** `canvas`: not in a panel, which has its own keys. `node`: only on the canvas itself. */
  at?: "canvas" | "node";
  /** The browser handles the key and sends an event, such as `copy`. */
  isNative?: boolean;
  /** A key that is held down does it only once. */
  isOnce?: boolean;
  isDisabled?(): boolean;
  run(): void;
}

export interface CommandState {
  commands: readonly Command[];
  /** Whether single letters are shortcuts; users of speech input can turn that off. */
  hasLetterKeys: boolean;
}

export const commandStore = createStore<CommandState>(() => ({ commands: [], hasLetterKeys: true }));

/** Where the focus is: in a text field, in a panel, on the canvas, or elsewhere. */
export type FocusArea = "field" | "panel" | "canvas" | "page";

/** Registers commands until the returned function is called. */
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

/** The command for a key press in a focus area, if there is one. */
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
  // Shift is a part of characters such as `?`; for letters and named keys it is listed.
  const withShift = shiftKey && (isLetter || key.length > 1);
  return [ctrlKey || metaKey ? "mod" : "", altKey ? "alt" : "", withShift ? "shift" : "", name]
    .filter(Boolean)
    .join("+");
}

/** Keys for display: `Ctrl Shift Z`. */
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
