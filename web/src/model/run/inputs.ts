/** The inputs of a workflow, from its schema, and their defaults. */

import type { Json, JsonObject, Workflow } from "../workflow/workflow";

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
      title: typeof property["title"] === "string" ? property["title"] : name,
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

/** Whether runs start with a request, whose parts the workflow reads as `trigger.body` and so on. */
export function startsWithRequest(workflow: Workflow): boolean {
  return webhookOf(workflow) !== undefined && inputFields(workflow).length === 0;
}

function webhookOf({ nodes }: Workflow) {
  const hasOtherStart = nodes.some(
    ({ type, data }) => type === "start" || (type === "TRIGGER" && data["subtype"] === "MANUAL"),
  );
  if (hasOtherStart) return undefined;
  return nodes.find(({ type, data }) => type === "TRIGGER" && data["subtype"] === "WEBHOOK");
}

/** A request as the webhook would deliver it, to start a test run with. */
function sampleRequest(workflow: Workflow): JsonObject {
  const settings = webhookOf(workflow)?.data["configurations"];
  const path = isObject(settings) ? settings["webhook_path"] : undefined;
  return {
    method: "POST",
    path: typeof path === "string" ? path : "/",
    headers: {},
    query_params: {},
    body: {},
  };
}

/** The defaults of the input schema, or a sample request for a webhook. */
export function defaultInputs(workflow: Workflow): JsonObject {
  const properties = workflow.inputSchema?.["properties"];
  const defaults: JsonObject = startsWithRequest(workflow) ? sampleRequest(workflow) : {};
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
