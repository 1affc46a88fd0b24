import { describe, expect, it } from "vitest";
import { startText } from "./run/inputs";
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
