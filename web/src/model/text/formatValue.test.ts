import { describe, expect, it } from "vitest";
import { countOf, escapeHidden } from "./formatValue";

describe("formatted values", () => {
  it("have invisible characters escaped", () => {
    expect(escapeHidden("a\u202eb\u200b")).toBe("a⟨U+202E⟩b⟨U+200B⟩");
  });
});

describe("counts", () => {
  it("have the plural of the noun", () => {
    expect([countOf(1, "error"), countOf(2, "warning")]).toEqual(["1 error", "2 warnings"]);
  });
});
