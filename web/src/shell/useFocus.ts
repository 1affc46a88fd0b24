/** Keeps the focus: on a new page it moves to the heading, and when its element is removed, to one nearby. */

import { useEffect } from "react";
import type { Route } from "../state/route";
import { pageTitle } from "./pages";
import { firstFocusable } from "./regions";

/** Sets the title of the tab, and focuses the heading of a new page unless the focus is on the page already. */
export function usePageFocus(route: Route): void {
  const address = [route.page, ...route.rest].join("/");
  useEffect(() => {
    document.title = `${pageTitle(route)} · Toolweave`;
    if (isFirstPage) isFirstPage = false;
    else if (!isInMain(document.activeElement)) focusHeading();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the address identifies the route
  }, [address]);
}

// The browser sets the focus on the first page; we do on later ones.
let isFirstPage = true;

function isInMain(element: Element | null): boolean {
  const main = document.getElementById("main");
  return main !== null && element !== null && element !== main && main.contains(element);
}

/** The heading of the page; if it is not rendered yet, the page itself. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("#main h1");
  heading?.setAttribute("tabindex", "-1");
  (heading ?? document.getElementById("main"))?.focus();
}

/** When the focused element is removed, focuses the nearest remaining element around it. */
export function useFocusRecovery(): void {
  useEffect(() => {
    let around: HTMLElement[] = [];
    const came = ({ target }: FocusEvent) => void (around = ancestors(target as HTMLElement));
    // A click elsewhere moves the focus on purpose.
    const pointed = () => void (around = []);
    const left = new MutationObserver(() => {
      if (around.length === 0 || document.activeElement !== document.body || around[0]!.isConnected) return;
      const rest = around.find(
        (element) => element.isConnected && element !== document.body && firstFocusable(element),
      );
      around = [];
      if (rest && !rest.contains(document.getElementById("main"))) firstFocusable(rest)!.focus();
      else focusHeading();
    });
    document.addEventListener("pointerdown", pointed);
    document.addEventListener("focusin", came);
    left.observe(document.getElementById("main")!, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("pointerdown", pointed);
      document.removeEventListener("focusin", came);
      left.disconnect();
    };
  }, []);
}

function ancestors(element: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let current: HTMLElement | null = element; current; current = current.parentElement)
    found.push(current);
  return found;
}
