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
    FOCUS_ORDER.map((selector) => element?.querySelector<HTMLElement>(selector))
      .find(Boolean)
      ?.focus();
    return () => {
      element?.close();
      previousFocus?.focus?.();
    };
  }, [dialog]);
}
