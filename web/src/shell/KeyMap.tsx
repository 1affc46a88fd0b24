/** Turns key presses into commands; the only listener for keys of the whole page. */

import { useEffect } from "react";
import { commandFor } from "../model/commandStore";

export function KeyMap() {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target as HTMLElement;
      const inField = target.matches("input, textarea, select, [contenteditable='true']");
      // A dialog has its own keys.
      if (document.querySelector("dialog[open]") && !target.closest("[data-keys]")) return;
      const command = commandFor(event, inField);
      if (!command) return;
      event.preventDefault();
      command.run();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  return null;
}
