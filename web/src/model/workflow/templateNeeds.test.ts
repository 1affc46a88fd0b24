import { expect, it } from "vitest";
import { bestTemplates, missingFor, templateNeeds } from "./templateNeeds";

const nothing = { hasModel: false, credentials: [], servers: new Set<string>() };

it("tells what a template needs, and what of it is missing here", () => {
  const needs = templateNeeds([
    "TRIGGER.SLACK",
    "EXTERNAL_ACTION.SLACK",
    "AI_AGENT.CLASSIFY",
    "TOOL.MCP:demo/add",
  ]);
  expect(needs).toEqual({ needsModel: true, services: ["Slack"], servers: ["demo"] });
  expect(missingFor(needs, nothing)).toEqual([
    { title: "a model", page: ["manage", "models"] },
    { title: "Slack", page: ["credentials"] },
    { title: "demo", page: ["servers"] },
  ]);
  const ready = { hasModel: true, credentials: ["slack-bot"], servers: new Set(["demo"]) };
  expect(missingFor(needs, ready)).toEqual([]);
  expect(missingFor(templateNeeds(["FLOW.IF", "ACTION.HTTP_REQUEST"]), nothing)).toEqual([]);
});

it("suggests what runs here first, with tools of connected servers before simple templates", () => {
  const [alert, many, tool, simple] = [
    ["TRIGGER.ERROR", "EXTERNAL_ACTION.TELEGRAM"],
    ["TRIGGER.MANUAL", "FLOW.IF", "FLOW.LOOP", "ACTION.HTTP_REQUEST"],
    ["TRIGGER.MANUAL", "TOOL.MCP:demo/weather", "FLOW.IF", "ACTION.SET_FIELDS"],
    ["TRIGGER.MANUAL", "ACTION.PARSE"],
  ].map((nodes) => ({ nodes }));
  const all = [alert!, many!, tool!, simple!];
  expect(bestTemplates(all, nothing)).toEqual([simple, many, tool, alert]);
  const connected = { ...nothing, servers: new Set(["demo"]) };
  expect(bestTemplates(all, connected)).toEqual([tool, simple, many, alert]);
});
