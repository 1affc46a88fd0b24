import { describe, expect, it } from "vitest";
import { decisionField, decisionsOf, answerFields, parseAnswer } from "./answerForm";

const approval = answerFields({
  type: "object",
  properties: {
    answer: {
      type: "string",
      title: "Answer",
      enum: ["confirmed", "rejected"],
      enumNames: ["Approve", "Decline"],
    },
    comment: { type: "string", maxLength: 10_000 },
  },
  required: ["answer"],
});
const form = answerFields({
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
    expect(form[0]).toMatchObject({ title: "Name", note: "Of whom", isRequired: false });
    expect(approval.map(({ kind }) => kind)).toEqual(["choice", "lines"]);
    expect(answerFields({})).toEqual([]);
    expect(answerFields({ properties: { odd: true } })[0]?.kind).toBe("json");
  });

  it("offer titled options", () => {
    const kind = {
      oneOf: [
        { const: "a", title: "First" },
        { const: "b", title: "" },
      ],
    };
    const several = { type: "array", items: { anyOf: kind.oneOf } };
    const fields = answerFields({ properties: { kind: { type: "string", ...kind }, several } });
    expect(fields.map(({ kind }) => kind)).toEqual(["choice", "several"]);
    expect(fields[1]!.options.map(({ label }) => label)).toEqual(["First", "b"]);
    expect(parseAnswer(fields, { kind: "1", several: [0] }).reply).toEqual({ kind: "b", several: ["a"] });
    expect(answerFields({ properties: { any: { oneOf: [{ type: "string" }] } } })[0]!.options).toEqual([]);
  });

  it("with a single choice have buttons", () => {
    expect(decisionField(approval)?.options.map(({ label }) => label)).toEqual(["Approve", "Decline"]);
    expect(decisionField(form)).toBeNull();
  });

  it("are answered with the form's values", () => {
    const filled = { name: "Ada", boxes: "3", fast: true, days: [1], more: '{"a": 1}' };
    expect(parseAnswer(form, filled)).toEqual({
      reply: { name: "Ada", boxes: 3, fast: true, days: ["tue"], more: { a: 1 } },
      faults: {},
    });
    expect(parseAnswer(approval, { answer: "1" }).reply).toEqual({ answer: "rejected" });
  });

  it("report invalid and missing values", () => {
    expect(parseAnswer(form, { boxes: "three", more: "{" }).faults).toEqual({
      boxes: "Enter a number.",
      more: "Enter valid JSON.",
    });
    expect(parseAnswer(form, {}).faults).toEqual({ boxes: "Required." });
  });

  it("are decided with A and R if they are approvals", () => {
    const field = decisionField(approval)!;
    expect(decisionsOf(field, "approval")).toEqual([
      { at: 0, label: "Approve", key: "a" },
      { at: 1, label: "Reject", key: "r" },
    ]);
    expect(decisionsOf(field, "choice").map(({ key }) => key)).toEqual([null, null]);
  });
});
