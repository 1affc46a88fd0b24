import { afterEach, expect, test, vi } from "vitest";
import { updateClock, serviceNow } from "../api/clock";
import { followStream } from "../api/eventStream";
import { inferParameters } from "../model/form/parameters";
import { safeText } from "../model/text/untrusted";
import { newWorkflow } from "../model/workflow/workflow";
import { WorkflowDocument } from "./document";
import { dropDraft, readDraft, saveDraft } from "./drafts";
import { parseRoute } from "./route";
import { openNewWorkflow } from "./workspace";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));
afterEach(() => vi.unstubAllGlobals());

test("what others wrote is spelt out, and named", () => {
  expect(safeText("plain")).toEqual({ text: "plain", warnings: [] });
  expect(safeText("a\u202eb").warnings).toEqual(["characters that turn the reading direction"]);
  expect(safeText("\u001b[31m").text).toBe("⟦U+001B⟧[31m");
  expect(safeText("[here](javascript:hit())").warnings).toEqual(["a Markdown link"]);
  expect(safeText(`${"[".repeat(50_000)}](x)`).warnings).toEqual(["a Markdown link"]);
});

test("a route is read from the fragment of the address", () => {
  expect(parseRoute("#/w/a%20b?run")).toMatchObject({ page: "w", rest: ["a b"] });
  expect(parseRoute("").page).toBe("");
});

test("an address that is no encoding of anything is a page that is not there", () => {
  expect(parseRoute("#/w/%E0%A4").rest).toEqual(["%E0%A4"]);
  expect(parseRoute("#/w/a%20b").rest).toEqual(["a b"]);
});

test("ages are told by the service's clock where ours is wrong", () => {
  updateClock(new Date(1_000_000).toUTCString(), 1_000_000);
  expect(Math.abs(serviceNow() - Date.now())).toBeLessThan(1_000);
  updateClock(new Date(Date.now() + 3_600_000).toUTCString());
  expect(serviceNow() - Date.now()).toBeGreaterThan(3_500_000);
  updateClock(null);
  updateClock(new Date().toUTCString());
});

test("values of a tool that is gone keep a field each", () => {
  expect(
    inferParameters({ city: "Oslo", days: 2, more: [1] }).map(({ name, type, kind }) => [name, type, kind]),
  ).toEqual([
    ["city", "string", undefined],
    ["days", "number", undefined],
    ["more", "array", "any"],
  ]);
  expect(inferParameters(undefined)).toEqual([]);
});

function stored(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
}

test("an import leaves the new workflow that was not saved one undo away", () => {
  vi.stubGlobal("window", { localStorage: stored() });
  openNewWorkflow(null).editor.document.edit((workflow) => ({ ...workflow, name: "mine" }));
  const { editor, hadDraft } = openNewWorkflow({ ...newWorkflow("imported"), name: "imported" });
  expect([hadDraft, editor.document.workflow.name]).toEqual([true, "imported"]);
  editor.document.undo();
  expect(editor.document.workflow.name).toBe("mine");
  saveDraft(editor.document);
  expect(readDraft(null)?.workflow.name).toBe("mine");
});

function edited(storedAs: string, name: string): WorkflowDocument {
  const document = new WorkflowDocument({ workflow: newWorkflow(storedAs), storedAs, revision: "1" });
  document.edit((workflow) => ({ ...workflow, name }));
  return document;
}

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

test("a store that is blocked keeps drafts as long as the page", () => {
  vi.stubGlobal("window", {});
  saveDraft(edited("blocked", "only here"));
  expect(readDraft("blocked")?.workflow.name).toBe("only here");
});

test("a stream goes on after a bad gateway and ends where it is forbidden", async () => {
  vi.stubGlobal("window", { setTimeout, location: { origin: "" } });
  const answers = [
    new Response("<h1>", { status: 502 }),
    new Response("id: 1\nevent: a\ndata: {}\n\nid: 2\nev"),
    new Response(null, { status: 204 }),
  ];
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (_: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers["Last-Event-ID"] ?? null);
    return Promise.resolve(answers.shift());
  });
  const seen: string[] = [];
  const following = {
    signal: new AbortController().signal,
    onEvent: ({ id }: { id: string }) => seen.push(id),
  };
  await followStream("/x", following);
  expect([asked, seen]).toEqual([[null, null, "1"], ["1"]]);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 403 })));
  await expect(followStream("/x", following)).rejects.toMatchObject({ status: 403 });
});
