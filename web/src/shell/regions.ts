/** The regions of the page that F6 cycles through, and where the focus goes in each. */

import { currentEditor } from "../state/workspace";

const FOCUSABLE = [
  "a[href]",
  "button:not(:disabled)",
  "input:not(:disabled):not([hidden])",
  "select:not(:disabled)",
  "textarea:not(:disabled)",
  "[tabindex='0']",
].join(", ");

/** The element itself, else the first focusable element in it. */
export function firstFocusable(within: HTMLElement): HTMLElement | null {
  return within.matches(FOCUSABLE) ? within : within.querySelector<HTMLElement>(FOCUSABLE);
}

/** Moves the focus to the next or previous region with a focusable element. */
export function focusNextRegion(step: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>("[data-stop]")].filter(
    (stop) => stop.dataset["stop"] === "canvas" || firstFocusable(stop),
  );
  const here = stops.findIndex((stop) => stop.contains(document.activeElement));
  const next = stops[(here + step + stops.length) % stops.length];
  if (next) focusIn(next);
}

export function focusRegion(name: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-stop="${name}"]`);
  if (stop) focusIn(stop);
}

function focusIn(stop: HTMLElement): void {
  if (stop.dataset["stop"] === "canvas") currentEditor()?.canvas?.focus();
  else firstFocusable(stop)?.focus();
}

export function isInPanel(): boolean {
  return document.activeElement?.closest("[data-panel]") != null;
}
