/** The inputs each workflow was last run with, kept for as long as the page is open. */

import { defaultInputs, eventTriggerOf } from "../model/run/inputs";
import { testEventOf } from "../model/workflow/studioData";
import type { JsonObject, Workflow } from "../model/workflow/workflow";
import type { WorkflowDocument } from "./document";
import type { DraftOwner } from "./drafts";

/** By the name of a stored workflow, or the id of a draft: two drafts may have the same name. */
const lastInputs = new Map<string, JsonObject>();

function keyOf({ storedAs, draftId }: DraftOwner): string {
  return storedAs === null ? `draft ${draftId ?? ""}` : `workflow ${storedAs}`;
}

/** What to start the next run with: the inputs of the last one, else the defaults. */
export function initialInputs(document: WorkflowDocument): JsonObject {
  const { workflow } = document;
  if (eventTriggerOf(workflow)) return defaultInputs(workflow);
  return lastInputs.get(keyOf(document)) ?? defaultInputs(workflow);
}

/** Whether a run needs an event of a trigger, and none is kept. */
export function needsEvent(workflow: Workflow): boolean {
  const trigger = eventTriggerOf(workflow);
  return trigger !== undefined && testEventOf(workflow)?.node !== trigger.id;
}

export function rememberInputs(owner: DraftOwner, inputs: JsonObject): void {
  lastInputs.set(keyOf(owner), inputs);
}

/** The inputs of a workflow that was saved under another name, or for the first time. */
export function moveInputs(from: DraftOwner, to: DraftOwner): void {
  const inputs = lastInputs.get(keyOf(from));
  lastInputs.delete(keyOf(from));
  if (inputs) lastInputs.set(keyOf(to), inputs);
}
