/** The same step of two runs: its results as text, and whether they are the same. */

import { formatValue } from "../text/formatValue";
import { safeText } from "../text/untrusted";

export interface ComparedStep {
  status: string;
  value?: unknown;
  error?: Record<string, unknown> | null | undefined;
  /** Truncated values by name. */
  cut?: Record<string, { text: string; digest: string } | undefined> | null | undefined;
}

const MAX_CHARACTERS = 4_000;

/** The output of a step, or its error; nothing if it did not run. */
export function stepText(step: ComparedStep | undefined): string {
  if (!step) return "";
  if (step.error) return safeText(String(step.error["message"])).text;
  return formatValue(step.cut?.["value"]?.text ?? step.value, MAX_CHARACTERS).text;
}

export function isSameStep(left: ComparedStep | undefined, right: ComparedStep | undefined): boolean {
  return left?.status === right?.status && digest(left) === digest(right);
}

/** Truncated values are compared by the digest of the whole value. */
function digest(step: ComparedStep | undefined): string | undefined {
  if (!step) return undefined;
  return step.cut?.["value"]?.digest ?? JSON.stringify([step.value, step.error?.["message"]]);
}
