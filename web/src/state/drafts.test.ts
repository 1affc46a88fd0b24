import { afterEach, expect, test, vi } from "vitest";
import { newWorkflow } from "../model/workflow/workflow";
import { WorkflowDocument } from "./document";
import { dropDraft, readDraft, saveDraft } from "./drafts";
import { openNewWorkflow } from "./workspace";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

function stored(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
}

function edited(storedAs: string, name: string): WorkflowDocument {
  const document = new WorkflowDocument({ workflow: newWorkflow(storedAs), storedAs, revision: "1" });
  document.edit((workflow) => ({ ...workflow, name }));
  return document;
}

test("undo after an import restores the unsaved new workflow", () => {
  vi.stubGlobal("window", { localStorage: stored() });
  openNewWorkflow(null).editor.document.edit((workflow) => ({ ...workflow, name: "mine" }));
  const { editor, hadDraft } = openNewWorkflow({ ...newWorkflow("imported"), name: "imported" });
  expect([hadDraft, editor.document.workflow.name]).toEqual([true, "imported"]);
  editor.document.undo();
  expect(editor.document.workflow.name).toBe("mine");
  saveDraft(editor.document);
  expect(readDraft(null)?.workflow.name).toBe("mine");
});

test("a draft that another tab wrote is not dropped by saving here", () => {
  const localStorage = stored();
  vi.stubGlobal("window", { localStorage });
  saveDraft(edited("both", "here"));
  localStorage.setItem(
    "toolweave.draft.both",
    JSON.stringify({ workflow: newWorkflow("there"), revision: null }),
  );
  dropDraft("both");
  expect(readDraft("both")?.workflow.name).toBe("there");
  dropDraft("both");
  expect(readDraft("both")).toBeNull();
});

test("drafts are kept in memory if the storage is blocked", () => {
  vi.stubGlobal("window", {});
  saveDraft(edited("blocked", "only here"));
  expect(readDraft("blocked")?.workflow.name).toBe("only here");
});
