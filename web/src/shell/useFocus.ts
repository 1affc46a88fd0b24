/** Keeps the focus: on a new page it moves to the heading, and when its element is removed, to one nearby. */

import { useEffect } from "react";
import type { Route } from "../state/route";
import { pageTitle } from "./pages";
import { firstFocusable, focusHeading, headingOfPage } from "./regions";

/** Sets the title of the tab, and focuses the heading of a new page unless the focus is on the page already. */
export function usePageFocus(route: Route): void {
  const address = [route.page, ...route.rest].join("/");
  useEffect(() => {
    document.title = `${pageTitle(route)} · Toolweave`;
    if (isFirstPage) isFirstPage = false;
    else if (!isInMain(document.activeElement)) return focusPage();
    return undefined;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the address identifies the route
  }, [address]);
}

// The browser sets the focus on the first page; we do on later ones.
let isFirstPage = true;

function isInMain(element: Element | null): boolean {
  const main = document.getElementById("main");
  return main !== null && element !== null && element !== main && main.contains(element);
}

/** Focuses the heading of a page; of one whose code is loaded first, once it is there. */
function focusPage(): (() => void) | undefined {
  const main = document.getElementById("main");
  const before = document.activeElement;
  focusHeading();
  if (!main || headingOfPage()) return undefined;
  const observer = new MutationObserver(() => {
    if (!headingOfPage()) return;
    observer.disconnect();
    // A focus that moved meanwhile stays where it is.
    if ([before, main, document.body].includes(document.activeElement as HTMLElement)) focusHeading();
  });
  observer.observe(main, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** When the focused element is removed, focuses the nearest remaining element around it. */
export function useFocusRecovery(): void {
  useEffect(() => {
    let chain: HTMLElement[] = [];
    const onFocus = ({ target }: FocusEvent) => void (chain = ancestors(target as HTMLElement));
    // A click elsewhere moves the focus on purpose.
    const onPointerDown = () => void (chain = []);
    const observer = new MutationObserver(() => {
      if (chain.length === 0 || document.activeElement !== document.body || chain[0]!.isConnected) return;
      const remaining = chain.find(
        (element) => element.isConnected && element !== document.body && firstFocusable(element),
      );
      chain = [];
      if (remaining && !remaining.contains(document.getElementById("main")))
        firstFocusable(remaining)!.focus();
      else focusHeading();
    });
    document.addEventListener("pointerdown", onPointerDown);
    document.addEventListener("focusin", onFocus);
    // A notice that is dismissed takes its buttons with it.
    for (const part of [document.getElementById("main"), document.querySelector(".notices")])
      if (part) observer.observe(part, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("pointerdown", onPointerDown);
      document.removeEventListener("focusin", onFocus);
      observer.disconnect();
    };
  }, []);
}

function ancestors(element: HTMLElement): HTMLElement[] {
  const elements: HTMLElement[] = [];
  for (let current: HTMLElement | null = element; current; current = current.parentElement)
    elements.push(current);
  return elements;
}
