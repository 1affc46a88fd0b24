/** The regions of the page that F6 cycles through, and where the focus goes in each. */

import type { Command } from "../state/commands";

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

/** The page before stays in the document, hidden, while the code of the next one is loaded. */
export function headingOfPage(): HTMLElement | undefined {
  const headings = document.querySelectorAll<HTMLElement>("#main h1");
  return [...headings].find((heading) => heading.checkVisibility());
}

/** The heading of the page; if it is not rendered yet, the page itself. */
export function focusHeading(): void {
  const heading = headingOfPage();
  heading?.setAttribute("tabindex", "-1");
  (heading ?? document.getElementById("main"))?.focus();
}

/** Moves the focus to the next or previous region with something to focus. */
function focusNextRegion(step: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>("[data-stop]")].filter(isRegion);
  const here = stops.indexOf(document.activeElement?.closest<HTMLElement>("[data-stop]") as HTMLElement);
  // From outside of all regions: to the first or the last one.
  const next =
    stops[here < 0 ? (step > 0 ? 0 : stops.length - 1) : (here + step + stops.length) % stops.length];
  if (next) focusIn(next);
}

/** An editor consists of regions; other pages are one, besides those in it. */
function isRegion(stop: HTMLElement): boolean {
  if (isPage(stop)) return stop.querySelector("[data-stop=bar]") === null;
  return stop.checkVisibility() && firstFocusable(stop) !== null;
}

function isPage(stop: HTMLElement): boolean {
  return stop.id === "main";
}

export function focusRegion(name: string): void {
  const stop = document.querySelector<HTMLElement>(`[data-stop="${name}"]`);
  if (stop) focusIn(stop);
}

function focusIn(stop: HTMLElement): void {
  if (isPage(stop)) focusHeading();
  // The canvas must not be scrolled to its origin.
  else firstFocusable(stop)?.focus({ preventScroll: stop.dataset["stop"] === "canvas" });
}

export function isInPanel(): boolean {
  return document.activeElement?.closest("[data-panel]") != null;
}

/** Commands of every page. */
export const REGION_COMMANDS: readonly Command[] = [
  {
    id: "next-part",
    title: "Go to the next panel",
    keys: "f6",
    inFields: true,
    run: () => focusNextRegion(1),
  },
  {
    id: "part-before",
    title: "Go to the previous panel",
    keys: "shift+f6",
    inFields: true,
    run: () => focusNextRegion(-1),
  },
];
