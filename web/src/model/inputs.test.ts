import { describe, expect, it } from "vitest";
import { defaultInputs, eventFields, eventTriggerOf, startText } from "./run/inputs";
import { setTestEvent } from "./workflow/studioData";
import { newWorkflow, type JsonObject } from "./workflow/workflow";

function started(configurations: JsonObject) {
  const workflow = newWorkflow("Reports");
  return startText({
    ...workflow,
    nodes: [{ id: "t", type: "TRIGGER", name: "t", data: { subtype: "MANUAL", configurations } }],
  });
}

describe("the run button", () => {
  it("shows the trigger_name and the description of the manual trigger", () => {
    expect(started({ trigger_name: "Send report", description: "Mails it to all." })).toEqual({
      label: "Send report",
      note: "Mails it to all.",
    });
  });

  it("is labelled Run if the trigger has the default name", () => {
    expect(started({ trigger_name: "Manual Trigger" })).toEqual({ label: "Run", note: "" });
    expect(startText(newWorkflow("Reports"))).toEqual({ label: "Run", note: "" });
  });
});

describe("a workflow that a webhook starts", () => {
  const hook = {
    id: "hook",
    type: "TRIGGER",
    name: "hook",
    data: { subtype: "WEBHOOK", configurations: { webhook_path: "/orders" } },
  };

  it("is run with a request that has every part which expressions can read", () => {
    const workflow = { ...newWorkflow("Orders"), nodes: [hook] };
    expect(eventTriggerOf(workflow)).toBe(hook);
    expect(defaultInputs(workflow)).toEqual({
      method: "POST",
      path: "/orders",
      headers: {},
      query_params: {},
      body: {},
    });
  });

  it("is run with plain inputs if it can also be started otherwise", () => {
    const workflow = newWorkflow("Orders");
    const both = { ...workflow, nodes: [hook, ...workflow.nodes] };
    expect([eventTriggerOf(both), defaultInputs(both)]).toEqual([undefined, {}]);
  });

  it("is run with the kept event", () => {
    const inputs = { body: { order: 7 } };
    const workflow = { ...newWorkflow("Orders"), nodes: [hook] };
    const kept = setTestEvent(workflow, { node: "hook", inputs, receivedAt: null });
    expect(defaultInputs(kept)).toEqual(inputs);
  });

  it("asks for an event with a field for each output of the trigger", () => {
    const field = { description: "", default: null, required: false };
    const outputs = [
      { ...field, name: "body", type: "any" },
      { ...field, name: "method", type: "string", options: ["GET", "POST"] },
      { ...field, name: "execution_id", type: "string" },
    ];
    expect(eventFields(outputs as never).map(({ name, kind }) => [name, kind])).toEqual([
      ["body", "json"],
      ["method", "choice"],
    ]);
  });
});
