import { afterEach, expect, test, vi } from "vitest";
import { newWorkflow } from "../model/workflow/workflow";
import { WorkflowDocument } from "./document";
import { dropDraft, listNewDrafts, readDraft, saveDraft } from "./drafts";
import { openNewDraft, openNewWorkflow } from "./workspace";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

function stored(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  } as unknown as Storage;
}

function edited(storedAs: string, name: string): WorkflowDocument {
  const document = new WorkflowDocument({ workflow: newWorkflow(storedAs), storedAs, revision: "1" });
  document.edit((workflow) => ({ ...workflow, name }));
  return document;
}

test("every new or imported workflow has a draft of its own", () => {
  vi.stubGlobal("window", { localStorage: stored() });
  const mine = openNewWorkflow(null);
  mine.document.edit((workflow) => ({ ...workflow, name: "mine" }));
  const imported = openNewWorkflow({ ...newWorkflow("imported"), name: "imported" });
  expect(imported.document.workflow.name).toBe("imported");
  openNewWorkflow(null);
  expect(listNewDrafts().map(({ workflow }) => workflow.name)).toEqual(["mine", "imported"]);
  const again = openNewDraft(mine.document.draftId!)!;
  expect(again.document.workflow.name).toBe("mine");
  dropDraft(again.document);
  expect(listNewDrafts().map(({ workflow }) => workflow.name)).toEqual(["imported"]);
  expect(openNewDraft(mine.document.draftId!)).toBeNull();
});

test("a draft that another tab wrote is not dropped by saving here", () => {
  const localStorage = stored();
  vi.stubGlobal("window", { localStorage });
  saveDraft(edited("both", "here"));
  localStorage.setItem(
    "toolweave.draft.both",
    JSON.stringify({ workflow: newWorkflow("there"), revision: null }),
  );
  dropDraft({ storedAs: "both" });
  expect(readDraft({ storedAs: "both" })?.workflow.name).toBe("there");
  dropDraft({ storedAs: "both" });
  expect(readDraft({ storedAs: "both" })).toBeNull();
});

test("drafts are kept in memory if the storage is blocked", () => {
  vi.stubGlobal("window", {});
  saveDraft(edited("blocked", "only here"));
  expect(readDraft({ storedAs: "blocked" })?.workflow.name).toBe("only here");
});
