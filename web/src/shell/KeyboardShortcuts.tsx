/** Maps key presses to commands; the only key listener of the page. */

import { useEffect, useLayoutEffect } from "react";
import type { FocusArea } from "../state/commands";
import { commandFor, registerCommands } from "../state/commands";
import { loadLetterKeys } from "./letterShortcuts";
import { REGION_COMMANDS } from "./regions";

export function KeyboardShortcuts() {
  useEffect(loadLetterKeys, []);
  // Before those of a page, so that the list of all keys has one order.
  useLayoutEffect(() => registerCommands(REGION_COMMANDS), []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      // The element inside of a code editor, which has a document of its own.
      const target = (event.composedPath()[0] ?? event.target) as HTMLElement;
      // A dialog handles its own keys.
      if (document.querySelector("dialog[open]") && !target.closest("[data-keys]")) return;
      const command = commandFor(event, focusAreaOf(target));
      if (!command || command.isNative) return;
      event.preventDefault();
      if (!(event.repeat && command.isOnce)) command.run();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  return null;
}

function focusAreaOf(target: HTMLElement): FocusArea {
  if (target.matches("input, textarea, select, [contenteditable='true']")) return "field";
  if (target.matches(".canvas, .react-flow__node")) return "canvas";
  return target.closest("[data-panel]") ? "panel" : "page";
}
