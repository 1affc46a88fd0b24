import { expect, test } from "vitest";
import { removeItems } from "./edits";
import { pinOf, pinsOf, removePins, setPin, setTestEvent, testEventOf } from "./studioData";
import { newWorkflow } from "./workflow";

const workflow = { ...newWorkflow("pins"), metadata: { tags: ["kept"] } };

test("a pin is kept in the metadata and leaves nothing behind", () => {
  const pinned = setPin(workflow, "start", { output: { who: "Ada" }, ports: ["output"] });
  expect(pinOf(pinned, "start")).toEqual({ output: { who: "Ada" }, ports: ["output"] });
  expect(pinned.metadata).toMatchObject({ tags: ["kept"] });
  expect(removePins(pinned, new Set(["start"]))).toEqual(workflow);
  const bare = newWorkflow("bare");
  expect(removePins(setPin(bare, "end", { output: null }), new Set(["end"]))).toEqual(bare);
});

test("a deleted node takes its pin with it", () => {
  const pinned = setPin(setPin(workflow, "start", { output: 1 }), "end", { output: 2 });
  expect(Object.keys(pinsOf(removeItems(pinned, new Set(["start"]))))).toEqual(["end"]);
});

test.each([{ studio: 1 }, { studio: { pins: [] } }, { studio: { pins: { start: 3 }, testEvent: "x" } }])(
  "anything else in its place is ignored: %o",
  (metadata) => {
    const odd = { ...workflow, metadata: metadata as never };
    expect(pinsOf(odd)).toEqual({});
    expect(testEventOf(odd)).toBeNull();
  },
);

test("a test event belongs to a trigger that exists", () => {
  const event = { node: "start", inputs: { body: {} }, receivedAt: null };
  const kept = setTestEvent(workflow, event);
  expect(testEventOf(kept)).toEqual(event);
  expect(testEventOf(removeItems(kept, new Set(["start"])))).toBeNull();
  expect(setTestEvent(kept, null)).toEqual(workflow);
});
