/** The inputs of a workflow, from its schema, and their defaults. */

import type { Schemas } from "../../api/client";
import { fieldLabel } from "../text/fieldLabel";
import { testEventOf } from "../workflow/studioData";
import type { Json, JsonObject, Workflow, WorkflowNode } from "../workflow/workflow";

export interface InputField {
  name: string;
  title: string;
  description: string;
  kind: "text" | "number" | "boolean" | "choice" | "json";
  options: string[];
  isRequired: boolean;
}

/** The default name of a manual trigger, which is not used as a label. */
const DEFAULT_TRIGGER_NAME = "Manual Trigger";

export function inputFields(workflow: Workflow): InputField[] {
  const schema = workflow.inputSchema;
  const properties = schema?.["properties"];
  if (!isObject(properties)) return [];
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, declared]) => {
    const property = isObject(declared) ? declared : {};
    const options = Array.isArray(property["enum"])
      ? property["enum"].filter((option) => typeof option === "string")
      : [];
    return {
      name,
      title: typeof property["title"] === "string" ? property["title"] : fieldLabel(name),
      description: typeof property["description"] === "string" ? property["description"] : "",
      kind: options.length ? "choice" : (KIND_BY_TYPE[String(property["type"])] ?? "json"),
      options,
      isRequired: required.includes(name),
    };
  });
}

/** The label and the description of the run button, from the manual trigger. */
export function startText(workflow: Workflow): { label: string; note: string } {
  const manual = workflow.nodes.find((node) => node.type === "TRIGGER" && node.data["subtype"] === "MANUAL");
  const settings = manual?.data["configurations"];
  const setting = (name: string) =>
    isObject(settings) && typeof settings[name] === "string" ? settings[name].trim() : "";
  const name = setting("trigger_name");
  return { label: name && name !== DEFAULT_TRIGGER_NAME ? name : "Run", note: setting("description") };
}

const KIND_BY_TYPE: Record<string, InputField["kind"]> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
};

/** Triggers whose output is an event of somebody else: without it, expressions have nothing to read. */
const EVENT_TRIGGERS: ReadonlySet<string> = new Set([
  "WEBHOOK",
  "GITHUB",
  "SLACK",
  "EMAIL",
  "FILE_WATCH",
  "WORKFLOW_FAILED",
]);

/** The trigger whose event runs start with, which the workflow reads as `trigger.body` and so on. */
export function eventTriggerOf(workflow: Workflow): WorkflowNode | undefined {
  const { nodes } = workflow;
  const hasOtherStart = nodes.some(
    ({ type, data }) => type === "start" || (type === "TRIGGER" && data["subtype"] === "MANUAL"),
  );
  if (hasOtherStart || inputFields(workflow).length > 0) return undefined;
  const triggers = nodes.filter(
    ({ type, data }) => type === "TRIGGER" && EVENT_TRIGGERS.has(String(data["subtype"])),
  );
  const kept = testEventOf(workflow)?.node;
  return triggers.find(({ id }) => id === kept) ?? triggers[0];
}

/** What the trigger knows only when a run starts. */
const MADE_BY_RUN: ReadonlySet<string> = new Set(["execution_id", "trigger_time"]);

/** A field for each part of an event, from the outputs that its trigger declares. */
export function eventFields(outputs: readonly Schemas["NodeFieldResponse"][]): InputField[] {
  return outputs
    .filter(({ name }) => !MADE_BY_RUN.has(name))
    .map(({ name, type, description, options }) => {
      const choices = (options ?? []).filter((option) => typeof option === "string");
      return {
        name,
        title: fieldLabel(name),
        description: description ?? "",
        kind: choices.length ? "choice" : (KIND_BY_TYPE[type] ?? "json"),
        options: choices,
        isRequired: false,
      };
    });
}

/** A request as the webhook would deliver it, to start a test run with. */
function sampleRequest(webhook: WorkflowNode): JsonObject {
  const settings = webhook.data["configurations"];
  const path = isObject(settings) ? settings["webhook_path"] : undefined;
  return {
    method: "POST",
    path: typeof path === "string" ? path : "/",
    headers: {},
    query_params: {},
    body: {},
  };
}

/** The kept test event, the defaults of the input schema, or a sample request for a webhook. */
export function defaultInputs(workflow: Workflow): JsonObject {
  const properties = workflow.inputSchema?.["properties"];
  const trigger = eventTriggerOf(workflow);
  const event = testEventOf(workflow);
  if (trigger && event?.node === trigger.id) return event.inputs;
  const defaults: JsonObject = trigger?.data["subtype"] === "WEBHOOK" ? sampleRequest(trigger) : {};
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (isObject(property) && property["default"] !== undefined) defaults[name] = property["default"] as Json;
  }
  return defaults;
}

/** Whether a run can start without asking for inputs. */
export function hasRequiredInputs(workflow: Workflow, inputs: JsonObject): boolean {
  return inputFields(workflow).every((field) => !field.isRequired || inputs[field.name] !== undefined);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
