import { expect, test } from "vitest";
import type { ChatEvent } from "./conversation";
import { ask, hear, NEW_CONVERSATION } from "./conversation";

const after = (...events: ChatEvent[]) => events.reduce(hear, ask(NEW_CONVERSATION, "Hi."));

test("an answer is its text, and each result belongs to the first open call", () => {
  const { id, servers, turns } = after(
    { type: "chat", id: "c", servers: ["box"], tools: 2 },
    { type: "call", server: "box", tool: "add", arguments: { a: 1 } },
    { type: "call", server: "box", tool: "sub", arguments: {} },
    { type: "result", text: "3", isError: false },
    { type: "text", text: "It is " },
    { type: "text", text: "3." },
    { type: "end" },
  );
  expect([id, servers]).toEqual(["c", ["box"]]);
  expect(turns[0]).toMatchObject({ message: "Hi.", answer: "It is 3.", fault: null, isOver: true });
  expect(turns[0]!.calls.map(({ tool, result }) => [tool, result])).toEqual([
    ["box/add", "3"],
    ["box/sub", null],
  ]);
});

test("an error says what to do", () => {
  const { turns } = after(
    { type: "error", error: { message: "no model", hint: "add one" } },
    { type: "end" },
  );
  expect(turns[0]).toMatchObject({ fault: "no model; add one", isOver: true });
});
