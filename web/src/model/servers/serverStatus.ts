/** How servers are presented: by scope, with a tone for each state and a hint what to do next. */

import type { Schemas } from "../../api/client";
import { fieldLabel } from "../text/fieldLabel";
import type { CatalogEntry } from "../workflow/catalog";

export type Server = Schemas["ServerRecord"];
export type ServerTool = Schemas["ServerToolRecord"];
export type Drift = Schemas["ToolDriftRecord"];
export type ToolDifference = Schemas["ToolDifferenceRecord"];
export type Affected = Schemas["AffectedRecord"];
export type Fact = Schemas["ServerFactResponse"];

const SCOPES = ["user", "project", "local", "enterprise"];

export interface ScopeGroup {
  scope: string;
  servers: Server[];
}

/** The servers of each scope that has any; the user's own scope first, unknown scopes last. */
export function groupByScope(servers: readonly Server[]): ScopeGroup[] {
  const names = [...new Set([...SCOPES, ...servers.map(({ scope }) => scope)])];
  return names
    .map((scope) => ({ scope, servers: servers.filter((server) => server.scope === scope) }))
    .filter((group) => group.servers.length > 0);
}

export type Tone = "plain" | "good" | "bad" | "warn";
const TONES: Record<string, Tone> = {
  ready: "good",
  failing: "bad",
  "auto-disabled": "bad",
  changed: "warn",
  "not approved": "warn",
};

export function stateTone(state: string): Tone {
  return TONES[state] ?? "plain";
}

const NEXT_STEPS: Record<string, string> = {
  "not approved": "Nothing runs until you review and approve its command.",
  changed: "Its definition changed after approval. Review and approve it again.",
  "auto-disabled": "It failed too often and was disabled. Enable it to try again.",
  disabled: "It is disabled. Enable it to use its tools.",
  failing: "It did not respond to the last check. Fix it, then check again.",
  "not tried": "It has not been checked yet. Check it to see whether it responds.",
};

export function nextStepHint(state: string): string | null {
  return NEXT_STEPS[state] ?? null;
}

export function canListTools(server: Server): boolean {
  return server.approved && server.enabled;
}

const FACT_TITLES: Record<string, string> = {
  name: "Server",
  argv: "Command",
  asTyped: "As typed",
  fillsIn: "Placeholders",
  foundIn: "Source",
  signIn: "Sign-in",
};

export function factTitle(key: string): string {
  return FACT_TITLES[key] ?? fieldLabel(key);
}

/** How a server is reached and, if it is started here, whether it is isolated. */
export function kindText({ transport, deploymentType, runner }: Server): string {
  if (deploymentType !== "managed") return `Remote (${transport})`;
  const isolation = runner === "plain" ? "not isolated" : runner && `isolated by ${runner}`;
  return [`Started by Toolweave (${transport})`, isolation].filter(Boolean).join(", ");
}

const EMPTY_FACTS: Record<string, string> = {
  environment: "none",
  directory: "current directory",
  fillsIn: "none",
  foundIn: "added by you",
  headers: "none",
  signIn: "none",
};

/** A fact in lines; the parts of a command are numbered, so that spaces within them are visible. */
export function factLines({ key, value }: Fact): string[] {
  if (value === null || value === undefined || value.length === 0) return [EMPTY_FACTS[key] ?? "—"];
  if (!Array.isArray(value)) return [value];
  return key === "argv" ? value.map((part, at) => `[${at}] ${part}`) : value;
}

export function definitionHash(facts: readonly Fact[]): string | null {
  const value = facts.find(({ key }) => key === "hash")?.value;
  return typeof value === "string" ? value : null;
}

/** A tool as a catalog entry. */
export function toolEntry(server: string, tool: ServerTool, entries: readonly CatalogEntry[]): CatalogEntry {
  const existing = entries.find((entry) => entry.server === server && entry.tool === tool.name);
  if (existing) return existing;
  const subtype = `MCP:${server}/${tool.name}`;
  const nothing = { effect: "unknown", keywords: [], inputPorts: [], outputPorts: [], cautions: [] };
  return {
    ref: `TOOL.${subtype}`,
    type: "TOOL",
    subtype,
    summary: tool.description,
    server,
    tool: tool.name,
    ...nothing,
  } as CatalogEntry;
}
