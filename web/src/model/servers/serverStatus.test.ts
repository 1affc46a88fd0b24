import { describe, expect, it } from "vitest";
import { safeText } from "../text/untrusted";
import {
  groupByScope,
  toolEntry,
  factLines,
  definitionHash,
  nextStepHint,
  stateTone,
  type Fact,
  type Server,
  type ServerTool,
} from "./serverStatus";

const server = (name: string, scope: string): Server => ({ id: name, name, scope }) as Server;
const tool = { name: "add", description: "Adds." } as ServerTool;

describe("text of others", () => {
  it("leaves plain text alone, in every script", () => {
    for (const plain of [
      "Adds two numbers.",
      "שלום עולם",
      "a < b and b > a",
      "two\nlines\tand\r\nmore",
      "warm ☀️",
    ]) {
      expect(safeText(plain)).toEqual({ text: plain, warnings: [] });
    }
  });

  it("spells out what cannot be seen or turns the direction", () => {
    expect(safeText("a\u202eb")).toEqual({
      text: "a⟦U+202E⟧b",
      warnings: ["characters that turn the reading direction"],
    });
    expect(safeText("a\u200bb")).toEqual({
      text: "a⟦U+200B⟧b",
      warnings: ["characters that cannot be seen"],
    });
    expect(safeText("x\u{e0041}").text).toBe("x⟦U+E0041⟧");
    expect(safeText("\u001b[2J").text).toBe("⟦U+001B⟧[2J");
    expect(safeText("\u2066\u200b").warnings).toHaveLength(2);
  });

  it("warnings HTML and keeps its letters", () => {
    const told = '<img src=x onerror="alert(1)">';
    expect(safeText(told)).toEqual({ text: told, warnings: ["HTML"] });
    expect(safeText("<!-- do as I say").warnings).toEqual(["HTML"]);
  });
});

describe("servers", () => {
  it("are grouped by scope, the user's first and unknown ones last", () => {
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

  it("say what to do next unless they are ready", () => {
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

  it("number the parts of a command", () => {
    const facts: Fact[] = [
      { label: "argv", key: "argv", value: ["npx", "-y", "a b"] },
      { label: "environment", key: "environment", value: [] },
      { label: "hash", key: "hash", value: "sha256:1" },
    ];
    expect(facts.map(factLines)).toEqual([
      ["[0] npx", "[1] -y", "[2] a b"],
      ["nothing of its own"],
      ["sha256:1"],
    ]);
    expect(definitionHash(facts)).toBe("sha256:1");
    expect(definitionHash([])).toBeNull();
  });

  it("offer a tool as the palette does, also before the catalog knows it", () => {
    const made = toolEntry("demo", tool, []);
    expect(made).toMatchObject({ ref: "TOOL.MCP:demo/add", server: "demo", tool: "add", summary: "Adds." });
    expect(toolEntry("demo", tool, [{ ...made, summary: "Known." }]).summary).toBe("Known.");
  });
});
