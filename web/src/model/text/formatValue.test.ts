import { describe, expect, it } from "vitest";
import { escapeHidden } from "./formatValue";

describe("formatted values", () => {
  it("have invisible characters escaped", () => {
    expect(escapeHidden("a\u202eb\u200b")).toBe("a⟨U+202E⟩b⟨U+200B⟩");
  });
});
