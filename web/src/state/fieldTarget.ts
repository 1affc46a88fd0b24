/** The field that a chosen value is written into: the one that last had the focus. */

import { createStore } from "zustand/vanilla";

export interface FieldTarget {
  label: string;
  /** Writes an expression that reads `path`; `kind` is the type of its value now. */
  insert(path: string, kind?: string): void;
}

export const fieldTargetStore = createStore<{ target: FieldTarget | null }>(() => ({ target: null }));

export function setFieldTarget(target: FieldTarget): void {
  fieldTargetStore.setState({ target });
}

/** Forgets a field that is no longer on the page. */
export function clearFieldTarget(target: FieldTarget): void {
  if (isFieldTarget(target)) fieldTargetStore.setState({ target: null });
}

/** Something else has the focus that takes no values. */
export function leaveFieldTarget(): void {
  fieldTargetStore.setState({ target: null });
}

/** Whether values go to this field now, perhaps under another label. */
export function isFieldTarget({ insert }: FieldTarget): boolean {
  return fieldTargetStore.getState().target?.insert === insert;
}

/** The type of a dragged value; its data is the path. */
export const PATH_DRAG_TYPE = "application/x-toolweave-path";
