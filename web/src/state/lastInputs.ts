/** The inputs each workflow was last run with, kept for as long as the page is open. */

import { defaultInputs, eventTriggerOf } from "../model/run/inputs";
import { testEventOf } from "../model/workflow/studioData";
import type { JsonObject, Workflow } from "../model/workflow/workflow";

const lastInputs = new Map<string, JsonObject>();

/** What to start the next run with: the inputs of the last one, else the defaults. */
export function initialInputs(workflow: Workflow): JsonObject {
  if (eventTriggerOf(workflow)) return defaultInputs(workflow);
  return lastInputs.get(workflow.name) ?? defaultInputs(workflow);
}

/** Whether a run needs an event of a trigger, and none is kept. */
export function needsEvent(workflow: Workflow): boolean {
  const trigger = eventTriggerOf(workflow);
  return trigger !== undefined && testEventOf(workflow)?.node !== trigger.id;
}

export function rememberInputs(workflow: Workflow, inputs: JsonObject): void {
  lastInputs.set(workflow.name, inputs);
}
