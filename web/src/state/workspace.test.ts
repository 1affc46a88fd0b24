import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newWorkflow } from "../model/workflow/workflow";
import { closeEditor, currentEditor, currentRun, openEditor, openNewWorkflow } from "./workspace";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

const open = (name: string) => openEditor({ workflow: newWorkflow(name), storedAs: name, revision: "1" });

beforeEach(() => {
  vi.stubGlobal("window", { setTimeout });
  vi.stubGlobal("fetch", () => new Promise(() => {}));
});
afterEach(() => {
  closeEditor(null);
  vi.unstubAllGlobals();
});

describe("the workspace", () => {
  it("gives every workflow its own document, selection, problems, run and conflict", () => {
    const first = open("first");
    first.document.edit((workflow) => ({ ...workflow, description: "edited" }));
    first.document.select(["start"]);
    first.problems.set(first.document.workflow, [
      { code: "X", severity: "error", pointer: "/nodes/0", message: "wrong" },
    ]);
    first.setConflict({ name: "first", mine: newWorkflow("first"), theirs: null, current: "2" });
    const second = open("second");
    expect(currentEditor()).toBe(second);
    expect(second.document.store.getState().history.past).toEqual([]);
    expect(second.document.selection.size).toBe(0);
    expect(second.problems.store.getState().all).toEqual([]);
    expect(second.conflict.getState().conflict).toBeNull();
    // An action that was offered for the first workflow does not touch the second one.
    first.document.undo();
    expect(second.document.workflow.name).toBe("second");
  });

  it("keeps a run on screen for the same workflow, and stops following it for any other", () => {
    const shown = open("trip");
    shown.run.follow("r1", "trip");
    closeEditor("trip");
    expect(currentEditor()).toBeNull();
    const again = openEditor({ workflow: newWorkflow("trip"), storedAs: "trip" }, currentRun()!);
    expect(again.run.id).toBe("r1");
    closeEditor("other");
    expect([currentRun(), again.run.id]).toEqual([null, null]);
  });

  it("shows no run of another workflow after an import", () => {
    const before = open("trip");
    before.run.follow("r1", "trip");
    const editor = openNewWorkflow(newWorkflow("imported"));
    expect([editor.run.id, before.run.id]).toEqual([null, null]);
  });
});
