import type { RefObject } from "react";
import { useLayoutEffect } from "react";

/** Where a dialog begins: at its first field, else at the first of its buttons below, else at its way out. */
const FOCUS_ORDER = [
  ".quick__input",
  ".dialog__body :is(input, textarea, select):not(:disabled)",
  ".dialog__foot button:not(:disabled)",
  ".dialog__head button",
];

/** Opens a dialog over the page; closed, it gives the focus back. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement as HTMLElement | null;
    if (element && !element.open) element.showModal();
    FOCUS_ORDER.map((selector) => element?.querySelector<HTMLElement>(selector))
      .find(Boolean)
      ?.focus();
    return () => {
      element?.close();
      before?.focus?.();
    };
  }, [dialog]);
}
