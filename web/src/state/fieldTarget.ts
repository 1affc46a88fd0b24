/** The field that a chosen value is written into: the one that last had the focus. */

import { createStore } from "zustand/vanilla";

export interface FieldTarget {
  label: string;
  /** Writes an expression that reads `path`. */
  insert(path: string): void;
}

export const fieldTargetStore = createStore<{ target: FieldTarget | null }>(() => ({ target: null }));

export function setFieldTarget(target: FieldTarget): void {
  fieldTargetStore.setState({ target });
}

/** Forgets a field that is no longer on the page. */
export function clearFieldTarget(target: FieldTarget): void {
  if (fieldTargetStore.getState().target === target) fieldTargetStore.setState({ target: null });
}

/** The type of a dragged value; its data is the path. */
export const PATH_DRAG_TYPE = "application/x-toolweave-path";
