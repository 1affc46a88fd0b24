/** What the studio keeps in the metadata of a workflow for test runs: pinned outputs and a test event. */

import type { Json, JsonObject, Workflow } from "./workflow";

/** The output that a node has in runs of the editor, without being executed. */
export interface Pin {
  output: Json;
  /** The ports it leaves by; absent means the usual one. */
  ports?: string[];
}

/** An event that a trigger received, or that was entered for it. */
export interface TestEvent {
  node: string;
  inputs: JsonObject;
  receivedAt: string | null;
}

const NO_PINS: Readonly<Record<string, Pin>> = {};
const pinsByMetadata = new WeakMap<object, Readonly<Record<string, Pin>>>();

export function pinsOf({ metadata }: Workflow): Readonly<Record<string, Pin>> {
  if (!metadata) return NO_PINS;
  const known = pinsByMetadata.get(metadata) ?? readPins(metadata);
  pinsByMetadata.set(metadata, known);
  return known;
}

export function pinOf(workflow: Workflow, node: string): Pin | undefined {
  return pinsOf(workflow)[node];
}

function readPins(metadata: JsonObject): Readonly<Record<string, Pin>> {
  const pins = part(metadata, "pins");
  const entries = Object.entries(pins).filter(([, pin]) => isObject(pin) && "output" in pin);
  return Object.fromEntries(entries) as unknown as Record<string, Pin>;
}

export function setPin(workflow: Workflow, node: string, pin: Pin): Workflow {
  return withPart(workflow, "pins", { ...pinsOf(workflow), [node]: pin } as unknown as JsonObject);
}

export function removePins(workflow: Workflow, nodes: ReadonlySet<string>): Workflow {
  const pins = pinsOf(workflow);
  const kept = Object.entries(pins).filter(([node]) => !nodes.has(node));
  if (kept.length === Object.keys(pins).length) return workflow;
  return withPart(workflow, "pins", Object.fromEntries(kept) as unknown as JsonObject);
}

/** The kept event, if its trigger still exists. */
export function testEventOf(workflow: Workflow): TestEvent | null {
  const { node, inputs, receivedAt } = part(workflow.metadata ?? {}, "testEvent");
  if (typeof node !== "string" || !isObject(inputs) || !workflow.nodes.some(({ id }) => id === node))
    return null;
  return { node, inputs, receivedAt: typeof receivedAt === "string" ? receivedAt : null };
}

export function setTestEvent(workflow: Workflow, event: TestEvent | null): Workflow {
  return withPart(workflow, "testEvent", (event ?? {}) as unknown as JsonObject);
}

function part(metadata: JsonObject, name: string): JsonObject {
  const studio = metadata["studio"];
  const found = isObject(studio) ? studio[name] : undefined;
  return isObject(found) ? found : {};
}

/** An empty part leaves nothing behind. */
function withPart(workflow: Workflow, name: string, value: JsonObject): Workflow {
  const { studio, ...metadata } = workflow.metadata ?? {};
  const { [name]: _, ...rest } = isObject(studio) ? studio : {};
  const kept = Object.keys(value).length > 0 ? { ...rest, [name]: value } : rest;
  const next = Object.keys(kept).length > 0 ? { ...metadata, studio: kept } : metadata;
  const { metadata: _old, ...bare } = workflow;
  return Object.keys(next).length > 0 ? { ...bare, metadata: next } : bare;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
