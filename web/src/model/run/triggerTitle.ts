/** What started a run, in words for people. */

const TRIGGER_TITLES: Readonly<Record<string, string>> = {
  rest: "Manual",
  manual: "Manual",
  cli: "Command line",
  mcp: "MCP client",
  library: "Library",
  test: "Node test",
  webhook: "Webhook",
  cron: "Schedule",
  github: "GitHub",
  slack: "Slack",
  email: "Email",
  file_watch: "File watch",
  workflow_failed: "Workflow failed",
};

/** What started a run, for people; names of triggers stay as they are. */
export function triggerTitle(trigger: string | null | undefined): string {
  if (!trigger) return "Manual";
  return trigger.startsWith("workflow:") ? "Another workflow" : (TRIGGER_TITLES[trigger] ?? trigger);
}
