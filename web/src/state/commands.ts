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
  isOff?(): boolean;
  run(): void;
}

export interface CommandState {
  commands: readonly Command[];
  /** Whether a letter alone is a command: who dictates, or leans on keys, turns that off. */
  hasLetters: boolean;
}

export const commandStore = createStore<CommandState>(() => ({ commands: [], hasLetters: true }));

/** Where the focus is: in a text field, in a panel, on the canvas, or nowhere in particular. */
export type Where = "field" | "panel" | "canvas" | "page";

/** Adds commands until the returned function is called. */
export function offer(commands: readonly Command[]): () => void {
  commandStore.setState((state) => ({ commands: [...state.commands, ...commands] }));
  return () => commandStore.setState((state) => ({ commands: state.commands.filter((one) => !commands.includes(one)) }));
}

export function runCommand(id: string): void {
  const command = commandStore.getState().commands.find((one) => one.id === id);
  if (command && !command.isOff?.()) command.run();
}

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** The command of a key press, if there is one for where the focus is. */
export function commandFor(event: Pressed, where: Where): Command | undefined {
  const pressed = spelt(event);
  const { commands, hasLetters } = commandStore.getState();
  if (pressed.length === 1 && !hasLetters) return undefined;
  return commands.findLast((command) => command.keys?.split(" ").includes(pressed) && worksAt(command, where) && !command.isOff?.());
}

function worksAt({ inFields, at }: Command, where: Where): boolean {
  if (where === "field") return inFields === true;
  if (at === "node") return where === "canvas";
  return at === undefined || where !== "panel";
}

export function spelt({ key, ctrlKey, metaKey, shiftKey, altKey }: Pressed): string {
  const name = key === " " ? "space" : key.toLowerCase();
  const isLetter = /^[a-z]$/.test(name);
  // Shift is part of what `?` is; of a letter or a named key it is said.
  const withShift = shiftKey && (isLetter || key.length > 1);
  return [ctrlKey || metaKey ? "mod" : "", altKey ? "alt" : "", withShift ? "shift" : "", name].filter(Boolean).join("+");
}

/** Keys as people read them: `Ctrl Shift Z`. */
export function shownKeys(keys: string | undefined): string {
  const first = keys?.split(" ")[0];
  if (!first) return "";
  return first.split("+").map((part) => NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1))).join(" ");
}

const NAMES: Record<string, string> = { mod: "Ctrl", enter: "↵", backspace: "⌫", delete: "Del", arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→", escape: "Esc" };
