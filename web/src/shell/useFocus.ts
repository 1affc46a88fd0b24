/** The focus is never lost: a new page begins at its heading, and what vanishes hands it on. */

import { useEffect } from "react";
import type { Route } from "../state/route";
import { pageTitle } from "./pages";
import { firstFocusable } from "./regions";

/** Names the tab after the page, and begins at the page's heading unless the focus is in it already. */
export function usePageFocus(route: Route): void {
  const address = [route.page, ...route.rest].join("/");
  useEffect(() => {
    document.title = `${pageTitle(route)} · Toolweave`;
    if (isFirstPage) isFirstPage = false;
    else if (!isInMain(document.activeElement)) focusHeading();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the address identifies the route
  }, [address]);
}

// The browser begins a page where its reader wants; only later ones are ours.
let isFirstPage = true;

function isInMain(element: Element | null): boolean {
  const main = document.getElementById("main");
  return main !== null && element !== null && element !== main && main.contains(element);
}

/** The page's heading; where it is not drawn yet, the page itself. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("#main h1");
  heading?.setAttribute("tabindex", "-1");
  (heading ?? document.getElementById("main"))?.focus();
}

/** When what has the focus is taken away, what is left around it takes the focus. */
export function useFocusRecovery(): void {
  useEffect(() => {
    let around: HTMLElement[] = [];
    const came = ({ target }: FocusEvent) => void (around = ancestors(target as HTMLElement));
    // Who points at something else has left it by themselves.
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
