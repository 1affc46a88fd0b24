import { describe, expect, it } from "vitest";
import { removeItems } from "../model/workflow/edits";
import { newWorkflow } from "../model/workflow/workflow";
import { WorkflowDocument } from "./document";

function chain(): WorkflowDocument {
  const workflow = newWorkflow("a");
  const middle = { id: "middle", type: "prompt", name: "Middle", data: {} };
  return new WorkflowDocument({ workflow: { ...workflow, nodes: [...workflow.nodes, middle] } });
}

describe("a document", () => {
  it("selects what an undo brings back, unless something is selected", () => {
    const document = chain();
    document.edit((workflow) => removeItems(workflow, new Set(["middle"])));
    document.select([]);
    document.undo();
    expect([...document.selection]).toEqual(["middle"]);
    document.select(["start"]);
    document.redo();
    expect([...document.selection]).toEqual(["start"]);
    expect(document.workflow.nodes).toHaveLength(2);
  });

  it("is dirty until its current value is saved", () => {
    const document = new WorkflowDocument({ workflow: newWorkflow("a"), storedAs: "a", revision: "1" });
    expect(document.isDirty).toBe(false);
    document.edit((workflow) => ({ ...workflow, name: "b" }));
    const saved = document.workflow;
    document.edit((workflow) => ({ ...workflow, name: "c" }));
    document.markSaved(saved, "b", "2");
    expect(document.isDirty).toBe(true);
    document.undo();
    expect([document.isDirty, document.storedAs]).toEqual([false, "b"]);
  });

  it("of a past run is not edited", () => {
    const document = new WorkflowDocument({ workflow: newWorkflow("a"), isReadOnly: true });
    document.edit((workflow) => ({ ...workflow, name: "b" }));
    expect([document.workflow.name, document.isDirty]).toEqual(["a", false]);
  });
});
