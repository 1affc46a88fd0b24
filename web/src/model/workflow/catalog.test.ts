import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "./catalog";
import { BUILT_IN_STEPS, entryTitle, outputPorts, searchEntries, specsByRef } from "./catalog";

const tool: CatalogEntry = {
  ...BUILT_IN_STEPS[2]!,
  ref: "TOOL.MCP:demo/add",
  type: "TOOL",
  subtype: "MCP:demo/add",
  server: "demo",
  tool: "add",
  summary: "Adds.",
};

const choice: CatalogEntry = {
  ...BUILT_IN_STEPS[2]!,
  ref: "FLOW.IF",
  type: "FLOW",
  subtype: "IF",
  outputPorts: [
    { name: "true", description: "" },
    { name: "false", description: "" },
  ],
};

describe("the catalog", () => {
  it("ranks names before summaries", () => {
    const found = searchEntries([...BUILT_IN_STEPS, choice, tool], "add");
    expect(found[0]).toBe(tool);
    expect(searchEntries([choice, tool], "demo").map(entryTitle)).toEqual(["add"]);
  });

  it("ranks an exact name first, and a node before a tool of the same rank", () => {
    const tools = ["notify", "if_changed", "webhook_list"].map((name) => ({
      ...tool,
      ref: `TOOL.MCP:demo/${name}`,
      tool: name,
    }));
    const webhook = { ...choice, ref: "TRIGGER.WEBHOOK", type: "TRIGGER", subtype: "WEBHOOK" };
    const ranked = (typed: string) => searchEntries([...tools, webhook, choice], typed).map(entryTitle);
    expect(ranked("if")).toEqual(["If", "if_changed", "notify"]);
    expect(ranked("webhook")).toEqual(["Webhook", "webhook_list"]);
    expect(ranked("flow")).toEqual(["If"]);
  });

  it("ranks kinds of nodes before tools, and recent ones first", () => {
    const wait = { ...choice, ref: "FLOW.WAIT", subtype: "WAIT", keywords: ["await"] };
    const awaiting = { ...tool, ref: "TOOL.MCP:demo/await_reply", tool: "await_reply" };
    const later = { ...choice, ref: "FLOW.DELAY", subtype: "DELAY", keywords: ["await"] };
    const all = [awaiting, wait, later];
    expect(searchEntries(all, "await").map(entryTitle)).toEqual(["Wait", "Delay", "await_reply"]);
    const recent = [awaiting.ref, later.ref];
    expect(searchEntries(all, "await", 60, recent).map(entryTitle)).toEqual(["Delay", "Wait", "await_reply"]);
    expect(searchEntries(all, "", 60, recent).map(entryTitle)).toEqual(["await_reply", "Delay", "Wait"]);
  });

  it("lists the output ports of branches and questions", () => {
    const specs = specsByRef([choice]);
    expect(outputPorts({ id: "a", type: "FLOW", name: "a", data: { subtype: "IF" } }, specs)).toEqual([
      "true",
      "false",
    ]);
    const asks = {
      id: "q",
      type: "askUserQuestion",
      name: "q",
      data: { options: [{ label: "Yes" }, { label: "No" }] },
    };
    expect(outputPorts(asks, specs)).toEqual(["branch-0", "branch-1"]);
  });
});
