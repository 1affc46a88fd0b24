/** Undo and redo for immutable values, which share unchanged parts, so a step takes little memory. */

export interface History<Value> {
  past: readonly Value[];
  present: Value;
  future: readonly Value[];
  /** The gesture of the last step; steps of one gesture are undone together. */
  gesture: string | null;
}

export const MAX_STEPS = 200;

export function createHistory<Value>(present: Value): History<Value> {
  return { past: [], present, future: [], gesture: null };
}

/** Records a step; it is merged with the last one if both belong to the same gesture. */
export function recordStep<Value>(
  history: History<Value>,
  present: Value,
  gesture: string | null = null,
): History<Value> {
  if (present === history.present) return history;
  const joins = gesture !== null && gesture === history.gesture && history.past.length > 0;
  const past = joins ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { past, present, future: [], gesture };
}

/** Ends a gesture: the next step is a separate one. */
export function endStep<Value>(history: History<Value>): History<Value> {
  return history.gesture === null ? history : { ...history, gesture: null };
}

export function undo<Value>(history: History<Value>): History<Value> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present: before,
    future: [history.present, ...history.future],
    gesture: null,
  };
}

export function redo<Value>(history: History<Value>): History<Value> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, gesture: null };
}
