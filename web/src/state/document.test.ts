import { describe, expect, it } from "vitest";
import { removeItems } from "../model/workflow/edits";
import { newWorkflow } from "../model/workflow/workflow";
import { currentWorkflow, documentStore, edit, openDocument, redoEdit, select, undoEdit } from "./document";

describe("the open document", () => {
  it("selects what an undo brings back, unless something is selected", () => {
    openDocument({
      workflow: {
        ...newWorkflow("a"),
        nodes: [...newWorkflow("a").nodes, { id: "middle", type: "prompt", name: "Middle", data: {} }],
      },
    });
    edit((workflow) => removeItems(workflow, new Set(["middle"])));
    select([]);
    undoEdit();
    expect([...documentStore.getState().selection]).toEqual(["middle"]);
    select(["start"]);
    redoEdit();
    expect([...documentStore.getState().selection]).toEqual(["start"]);
    expect(currentWorkflow()!.nodes).toHaveLength(2);
  });
});
