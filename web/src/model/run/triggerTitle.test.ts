import { expect, test } from "vitest";
import { triggerTitle } from "./triggerTitle";

test("the door that started a run is named for people, a trigger by its own name", () => {
  expect(["rest", null, "mcp", "workflow:2", "nine", "webhook", "cron"].map(triggerTitle)).toEqual([
    "Manual",
    "Manual",
    "MCP client",
    "Another workflow",
    "nine",
    "Webhook",
    "Schedule",
  ]);
});
