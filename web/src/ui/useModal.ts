import type { RefObject } from "react";
import { useLayoutEffect } from "react";

/** What gets the focus when a dialog opens: its first field, else a button of its footer, else its close button. */
const FOCUS_ORDER = [
  ".quick__input",
  ".dialog__body :is(input, textarea, select):not(:disabled)",
  ".dialog__foot button:not(:disabled)",
  ".dialog__head button",
];

/** Opens a dialog as modal; restores the focus when it closes. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    const previousFocus = document.activeElement as HTMLElement | null;
    if (element && !element.open) element.showModal();
    const stop = element ? focusFirst(element) : undefined;
    return () => {
      stop?.();
      element?.close();
      previousFocus?.focus?.();
    };
  }, [dialog]);
}

/** Focuses the first field; if it is not loaded yet, when it appears, unless the user did something before. */
function focusFirst(dialog: HTMLDialogElement): () => void {
  const isLoading = () => document.activeElement?.closest(".dialog__head") != null;
  const focus = () =>
    FOCUS_ORDER.map((selector) => dialog.querySelector<HTMLElement>(selector))
      .find(Boolean)
      ?.focus();
  focus();
  if (!isLoading()) return () => {};
  const observer = new MutationObserver(() => {
    if (isLoading()) focus();
    if (!isLoading()) stop();
  });
  const stop = () => observer.disconnect();
  observer.observe(dialog, { childList: true, subtree: true });
  for (const event of ["keydown", "pointerdown"]) dialog.addEventListener(event, stop, { once: true });
  return stop;
}
