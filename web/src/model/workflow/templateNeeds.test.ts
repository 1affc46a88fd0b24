import { expect, it } from "vitest";
import { missingFor, templateNeeds } from "./templateNeeds";

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
