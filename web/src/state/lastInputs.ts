/** The inputs each workflow was last run with, kept for as long as the page is open. */

import { defaultInputs } from "../model/run/inputs";
import type { JsonObject, Workflow } from "../model/workflow/workflow";

const lastInputs = new Map<string, JsonObject>();

/** What to start the next run with: the inputs of the last one, else the defaults. */
export function initialInputs(workflow: Workflow): JsonObject {
  return lastInputs.get(workflow.name) ?? defaultInputs(workflow);
}

/** Whether the workflow was run since the page was opened. */
export function hasLastInputs(workflow: Workflow): boolean {
  return lastInputs.has(workflow.name);
}

export function rememberInputs(workflow: Workflow, inputs: JsonObject): void {
  lastInputs.set(workflow.name, inputs);
}
