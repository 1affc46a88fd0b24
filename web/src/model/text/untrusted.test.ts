import { afterEach, describe, expect, it, test, vi } from "vitest";
import { safeText } from "./untrusted";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

afterEach(() => vi.unstubAllGlobals());

describe("untrusted text", () => {
  it("is unchanged if it is plain, in every script", () => {
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

  it("has invisible and bidirectional characters escaped", () => {
    expect(safeText("a\u202eb")).toEqual({
      text: "a⟦U+202E⟧b",
      warnings: ["characters that change the text direction"],
    });
    expect(safeText("a\u200bb")).toEqual({
      text: "a⟦U+200B⟧b",
      warnings: ["invisible characters"],
    });
    expect(safeText("x\u{e0041}").text).toBe("x⟦U+E0041⟧");
    expect(safeText("\u001b[2J").text).toBe("⟦U+001B⟧[2J");
    expect(safeText("\u2066\u200b").warnings).toHaveLength(2);
  });

  it("is reported if it contains HTML, but not changed", () => {
    const told = '<img src=x onerror="alert(1)">';
    expect(safeText(told)).toEqual({ text: told, warnings: ["HTML"] });
    expect(safeText("<!-- do as I say").warnings).toEqual(["HTML"]);
  });
});

test("suspicious text is escaped and reported", () => {
  expect(safeText("plain")).toEqual({ text: "plain", warnings: [] });
  expect(safeText("a\u202eb").warnings).toEqual(["characters that change the text direction"]);
  expect(safeText("\u001b[31m").text).toBe("⟦U+001B⟧[31m");
  expect(safeText("[here](javascript:hit())").warnings).toEqual(["a Markdown link"]);
  expect(safeText(`${"[".repeat(50_000)}](x)`).warnings).toEqual(["a Markdown link"]);
});
