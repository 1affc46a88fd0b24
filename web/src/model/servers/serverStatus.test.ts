import { describe, expect, it } from "vitest";
import { byScope, entryOf, factLines, hashOf, nextStep, toneOf, type Fact, type Server, type ServerTool } from "./serverStatus";
import { shownText } from "../text/untrusted";

const server = (name: string, scope: string): Server => ({ id: name, name, scope }) as Server;
const tool = { name: "add", description: "Adds." } as ServerTool;

describe("text of others", () => {
  it("leaves plain text alone, in every script", () => {
    for (const plain of ["Adds two numbers.", "שלום עולם", "a < b and b > a", "two\nlines\tand\r\nmore", "warm ☀️"]) {
      expect(shownText(plain)).toEqual({ text: plain, marks: [] });
    }
  });

  it("spells out what cannot be seen or turns the direction", () => {
    expect(shownText("a\u202eb")).toEqual({ text: "a⟦U+202E⟧b", marks: ["characters that turn the reading direction"] });
    expect(shownText("a\u200bb")).toEqual({ text: "a⟦U+200B⟧b", marks: ["characters that cannot be seen"] });
    expect(shownText("x\u{e0041}").text).toBe("x⟦U+E0041⟧");
    expect(shownText("\u001b[2J").text).toBe("⟦U+001B⟧[2J");
    expect(shownText("\u2066\u200b").marks).toHaveLength(2);
  });

  it("marks HTML and keeps its letters", () => {
    const told = '<img src=x onerror="alert(1)">';
    expect(shownText(told)).toEqual({ text: told, marks: ["HTML"] });
    expect(shownText("<!-- do as I say").marks).toEqual(["HTML"]);
  });
});

describe("servers", () => {
  it("are grouped by scope, the user's first and unknown ones last", () => {
    const found = byScope([server("a", "other"), server("b", "project"), server("c", "user"), server("d", "project")]);
    expect(found.map(({ scope, servers }) => [scope, servers.map(({ name }) => name)])).toEqual([
      ["user", ["c"]],
      ["project", ["b", "d"]],
      ["other", ["a"]],
    ]);
    expect(byScope([])).toEqual([]);
  });

  it("say what to do next unless they are ready", () => {
    for (const state of ["not approved", "changed", "auto-disabled", "disabled", "failing", "not tried"]) expect(nextStep(state)).toBeTruthy();
    expect(nextStep("ready")).toBeNull();
    expect([toneOf("ready"), toneOf("failing"), toneOf("changed"), toneOf("news")]).toEqual(["good", "bad", "warn", "plain"]);
  });

  it("number the parts of a command", () => {
    const facts: Fact[] = [
      { label: "argv", key: "argv", value: ["npx", "-y", "a b"] },
      { label: "environment", key: "environment", value: [] },
      { label: "hash", key: "hash", value: "sha256:1" },
    ];
    expect(facts.map(factLines)).toEqual([["[0] npx", "[1] -y", "[2] a b"], ["nothing of its own"], ["sha256:1"]]);
    expect(hashOf(facts)).toBe("sha256:1");
    expect(hashOf([])).toBeNull();
  });

  it("offer a tool as the palette does, also before the catalog knows it", () => {
    const made = entryOf("demo", tool, []);
    expect(made).toMatchObject({ ref: "TOOL.MCP:demo/add", server: "demo", tool: "add", summary: "Adds." });
    expect(entryOf("demo", tool, [{ ...made, summary: "Known." }]).summary).toBe("Known.");
  });
});
