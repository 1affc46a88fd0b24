import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "./catalog";
import { BUILT_IN_STEPS, entryTitle } from "./catalog";
import { isSecondTrigger, searchEntries } from "./entrySearch";
import { newWorkflow } from "./workflow";

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

describe("the node search", () => {
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
    expect(searchEntries(all, "await", { recent }).map(entryTitle)).toEqual(["Delay", "Wait", "await_reply"]);
    expect(searchEntries(all, "", { recent }).map(entryTitle)).toEqual(["await_reply", "Delay", "Wait"]);
  });

  it("ranks a name before a keyword of a recent one", () => {
    const http = { ...choice, ref: "ACTION.HTTP_REQUEST", type: "ACTION", subtype: "HTTP_REQUEST" };
    const webhook = { ...choice, ref: "TRIGGER.WEBHOOK", subtype: "WEBHOOK", keywords: ["http"] };
    const found = searchEntries([webhook, http], "http", { recent: [webhook.ref] }).map(entryTitle);
    expect(found).toEqual(["HTTP request", "Webhook"]);
  });

  it("finds what some of the words name, the rarest word first, if nothing has all of them", () => {
    const named = (name: string, summary = "") => ({ ...tool, ref: `T/${name}`, tool: name, summary });
    const all = [
      ...["get_issue", "get_page", "widget", "forecast"].map((name) => named(name)),
      named("brief", "Can get the weather."),
      named("weather"),
    ];
    const found = searchEntries(all, "get the weather").map(entryTitle);
    expect(found[0]).toBe("weather");
    expect(found).not.toContain("forecast");
    const exact = searchEntries([...all, named("get_weather")], "get weather").map(entryTitle);
    expect(exact).toEqual(["get_weather", "brief"]);
    expect(searchEntries(all, "nothing like it")).toEqual([]);
  });

  it("counts a name of several servers as one, and no name of a server", () => {
    const of = (server: string, name: string) => ({
      ...tool,
      ref: `T/${server}/${name}`,
      server,
      tool: name,
    });
    const http = { ...choice, ref: "ACTION.HTTP", type: "ACTION", subtype: "HTTP", keywords: ["GET"] };
    const servers = ["demo", "crm", "weather-eu"].flatMap((server) =>
      ["weather", "add", "ask", "draw", "echo"].map((name) => of(server, name)),
    );
    expect(
      searchEntries([http, ...servers], "get weather")
        .slice(0, 3)
        .map(entryTitle),
    ).toEqual(["weather", "weather", "weather"]);
  });

  it("lists an action before a trigger of the same name once the workflow begins", () => {
    const start = { ...choice, ref: "TRIGGER.SLACK", type: "TRIGGER", subtype: "SLACK" };
    const action = { ...choice, ref: "EXTERNAL_ACTION.SLACK", type: "EXTERNAL_ACTION", subtype: "SLACK" };
    const empty = newWorkflow("w");
    const begun = {
      ...empty,
      nodes: [...empty.nodes, { id: "t", type: "TRIGGER", name: "t", data: { subtype: "MANUAL" } }],
    };
    const first = (workflow: typeof empty) =>
      searchEntries([start, action], "slack", { isUnlikely: (entry) => isSecondTrigger(workflow, entry) })[0];
    expect(first(empty)).toBe(start);
    expect(first(begun)).toBe(action);
  });
});
