import { beforeEach, expect, test, vi } from "vitest";
import { newWorkflow } from "../model/workflow/workflow";
import { leavePage, noticeStore, notify } from "./notices";
import { notifyRestored } from "./workflowNotice";
import { closeEditor, openEditor } from "./workspace";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

const messages = () => noticeStore.getState().notices.map(({ message }) => message);
const open = (name: string) => openEditor({ workflow: newWorkflow(name), storedAs: name, revision: "1" });

beforeEach(() => noticeStore.setState({ notices: [] }));

test("an equal notice is replaced, and there are never more than three", () => {
  for (const message of ["a", "b", "a", "c", "d"]) notify(message, { tone: "bad" });
  expect(messages()).toEqual(["a", "c", "d"]);
});

test("a success ends the failures before it; other notices end none", () => {
  notify("Not saved: no disk", { tone: "bad" });
  notify("Copied");
  expect(messages()).toEqual(["Not saved: no disk", "Copied"]);
  notify("Saved", { tone: "good" });
  expect(messages()).toEqual(["Copied", "Saved"]);
});

test("a success leaves after four seconds, but not while it has an action", () => {
  vi.useFakeTimers();
  notify("Saved", { tone: "good" });
  notify("Deleted trip", { action: { title: "Undo", run: () => undefined } });
  vi.advanceTimersByTime(3_999);
  expect(messages()).toEqual(["Saved", "Deleted trip"]);
  vi.advanceTimersByTime(1);
  expect(messages()).toEqual(["Deleted trip"]);
  vi.useRealTimers();
});

test("a failure that the inbox lists leaves by itself; any other stays", () => {
  vi.useFakeTimers();
  notify("Not saved: no disk", { tone: "bad" });
  notify("Server 'a' was disabled", { tone: "bad", isStoredElsewhere: true });
  vi.advanceTimersByTime(5_000);
  expect(messages()).toHaveLength(2);
  vi.advanceTimersByTime(60_000);
  expect(messages()).toEqual(["Not saved: no disk"]);
  vi.useRealTimers();
});

test("errors of a page end when it is left, but not one about leaving", () => {
  vi.useFakeTimers();
  notify("Not run: 1 problem", { tone: "bad" });
  notify("Unsaved changes restored", { isOfPage: true });
  notify("Draft Beta discarded");
  vi.advanceTimersByTime(2_000);
  notify("Not saved: no disk", { tone: "bad" });
  leavePage();
  expect(messages()).toEqual(["Draft Beta discarded", "Not saved: no disk"]);
  vi.useRealTimers();
});

test("the offer to discard a draft ends when the workflow is saved", () => {
  const editor = open("draft");
  notifyRestored(editor, "draft restored", () => undefined);
  editor.document.edit((now) => ({ ...now, description: "x" }));
  expect(messages()).toEqual(["draft restored"]);
  editor.document.markSaved(editor.document.workflow, "draft", "2");
  expect(messages()).toEqual([]);
  closeEditor(null);
});

test("the offer to discard a draft ends when another workflow is opened", () => {
  const discarded: string[] = [];
  notifyRestored(open("first"), "first restored", () => discarded.push("first"));
  expect(messages()).toEqual(["first restored"]);
  notifyRestored(open("second"), "second restored", () => discarded.push("second"));
  expect(messages()).toEqual(["second restored"]);
  noticeStore.getState().notices[0]!.action!.run();
  expect(discarded).toEqual(["second"]);
  closeEditor(null);
  expect(messages()).toEqual([]);
});
