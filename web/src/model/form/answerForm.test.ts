import { describe, expect, it } from "vitest";
import { decidingField, fieldsOf, replyOf } from "./answerForm";

const approval = fieldsOf({
  type: "object",
  properties: {
    answer: { type: "string", title: "Answer", enum: ["confirmed", "rejected"], enumNames: ["Approve", "Decline"] },
    comment: { type: "string", maxLength: 10_000 },
  },
  required: ["answer"],
});
const form = fieldsOf({
  type: "object",
  properties: {
    name: { type: "string", description: "Of whom" },
    boxes: { type: "integer" },
    fast: { type: "boolean" },
    days: { type: "array", items: { type: "string", enum: ["mon", "tue"] } },
    more: { type: "object" },
  },
  required: ["boxes"],
});

describe("questions", () => {
  it("become fields by their schema", () => {
    expect(form.map(({ kind }) => kind)).toEqual(["text", "number", "boolean", "several", "json"]);
    expect(form[0]).toMatchObject({ title: "name", note: "Of whom", isRequired: false });
    expect(approval.map(({ kind }) => kind)).toEqual(["choice", "lines"]);
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ properties: { odd: true } })[0]?.kind).toBe("json");
  });

  it("that only want a decision have buttons", () => {
    expect(decidingField(approval)?.options.map(({ label }) => label)).toEqual(["Approve", "Decline"]);
    expect(decidingField(form)).toBeNull();
  });

  it("are answered by what was filled in", () => {
    const filled = { name: "Ada", boxes: "3", fast: true, days: [1], more: '{"a": 1}' };
    expect(replyOf(form, filled)).toEqual({ reply: { name: "Ada", boxes: 3, fast: true, days: ["tue"], more: { a: 1 } }, faults: {} });
    expect(replyOf(approval, { answer: "1" }).reply).toEqual({ answer: "rejected" });
  });

  it("say what cannot be read or is missing", () => {
    expect(replyOf(form, { boxes: "three", more: "{" }).faults).toEqual({ boxes: "This is no number.", more: "This is no JSON." });
    expect(replyOf(form, {}).faults).toEqual({ boxes: "This is needed." });
  });
});
