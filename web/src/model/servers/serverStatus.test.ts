import { describe, expect, it } from "vitest";
import type { Fact, Server, ServerTool } from "./serverStatus";
import { definitionHash, factLines, groupByScope, nextStepHint, stateTone, toolEntry } from "./serverStatus";

const server = (name: string, scope: string): Server => ({ id: name, name, scope }) as Server;

const tool = { name: "add", description: "Adds." } as ServerTool;

describe("servers", () => {
  it("are grouped by scope, the user's first and unknown scopes last", () => {
    const found = groupByScope([
      server("a", "other"),
      server("b", "project"),
      server("c", "user"),
      server("d", "project"),
    ]);
    expect(found.map(({ scope, servers }) => [scope, servers.map(({ name }) => name)])).toEqual([
      ["user", ["c"]],
      ["project", ["b", "d"]],
      ["other", ["a"]],
    ]);
    expect(groupByScope([])).toEqual([]);
  });

  it("have a hint what to do next unless they are ready", () => {
    for (const state of ["not approved", "changed", "auto-disabled", "disabled", "failing", "not tried"])
      expect(nextStepHint(state)).toBeTruthy();
    expect(nextStepHint("ready")).toBeNull();
    expect([stateTone("ready"), stateTone("failing"), stateTone("changed"), stateTone("news")]).toEqual([
      "good",
      "bad",
      "warn",
      "plain",
    ]);
  });

  it("have numbered command parts", () => {
    const facts: Fact[] = [
      { label: "argv", key: "argv", value: ["npx", "-y", "a b"] },
      { label: "environment", key: "environment", value: [] },
      { label: "hash", key: "hash", value: "sha256:1" },
    ];
    expect(facts.map(factLines)).toEqual([["[0] npx", "[1] -y", "[2] a b"], ["none"], ["sha256:1"]]);
    expect(definitionHash(facts)).toBe("sha256:1");
    expect(definitionHash([])).toBeNull();
  });

  it("have tools as catalog entries, even before the catalog is loaded", () => {
    const made = toolEntry("demo", tool, []);
    expect(made).toMatchObject({ ref: "TOOL.MCP:demo/add", server: "demo", tool: "add", summary: "Adds." });
    expect(toolEntry("demo", tool, [{ ...made, summary: "Known." }]).summary).toBe("Known.");
  });
});
