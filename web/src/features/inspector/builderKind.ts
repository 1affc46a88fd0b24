/** Which fields have a builder. */

import type { Control, Parameter } from "../../model/form/parameters";
import type { FormField } from "./formContext";

export type BuilderKind = "condition" | "schedule" | "map";

/** Settings that are conditions; the service evaluates each as one expression. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "condition_expression",
  "loop_condition",
  "wait_condition",
  "when",
  "custom_filter_function",
]);

/** What every builder is given. */
export interface BuilderProps {
  label: string;
  field: FormField;
  /** The ids of its description and problems. */
  describedBy: string | undefined;
}

export function builderOf(parameter: Parameter, control: Control, pointer: string): BuilderKind | null {
  if (!pointer.startsWith("/configurations/") && !pointer.startsWith("/inputParams/")) return null;
  if (control === "text" && parameter.name === "cron_expression") return "schedule";
  if (control === "text" && CONDITIONS.has(parameter.name)) return "condition";
  return control === "json" && parameter.type === "object" && parameter.kind === undefined ? "map" : null;
}
