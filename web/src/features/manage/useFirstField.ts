import type { RefObject } from "react";
import { useEffect } from "react";

/** Moves the focus into a form that a button opened. */
export function useFirstField(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select")?.focus(), [form]);
}
