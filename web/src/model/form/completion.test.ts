import { describe, expect, it } from "vitest";
import type { Language, CompletionNames } from "./completion";
import { complete, applyChoice } from "./completion";

const offer = (path: string, sample: string | null = null) => ({ path, kind: "text", about: null, sample });
const names: CompletionNames = {
  offers: [
    "data",
    "data.city",
    "trigger",
    "trigger.who",
    "nodes.get.output",
    "nodes.get.output.temperature",
    "nodes['a-b'].output",
  ].map((path) => offer(path)),
  functions: [
    { name: "size", isMethod: false, call: "size(sized)", gives: "int" },
    { name: "contains", isMethod: true, call: ".contains(string)", gives: "bool" },
  ],
};

/** `|` is the caret. */
function at(marked: string, language: Language = "value", isAsked = false) {
  const caret = marked.indexOf("|");
  return complete(marked.replace("|", ""), caret, language, names, isAsked);
}

function titles(marked: string, language: Language = "value"): string[] {
  return at(marked, language)?.choices.map(({ title }) => title) ?? [];
}

describe("completion", () => {
  it("starts inside braces only", () => {
    expect(titles("Hello |")).toEqual([]);
    expect(titles("{{ data }} da|")).toEqual([]);
    expect(titles("{{ da|")).toEqual(["data", "data.city"]);
    expect(titles("da|", "own")).toEqual(["data", "data.city"]);
    expect(titles("{da|", "flow")).toEqual(["data", "data.city"]);
    expect(titles("data > 1|", "own")).toEqual([]);
    expect(titles("data > |", "own")).toHaveLength(7);
  });

  it("continues the typed text, with matching functions", () => {
    expect(titles("{{ data.|")).toEqual(["data.city", ".contains(string)"]);
    expect(titles("{{ 1 + si| }}")).toEqual(["size(sized)"]);
    expect(titles("{{ nodes['a-b'].o|")).toEqual(["nodes['a-b'].output"]);
    expect(titles("{{wh|", "prompt")).toEqual(["trigger.who"]);
    expect(titles("{{si|", "prompt")).toEqual([]);
  });

  it("finds a field by its own name", () => {
    expect(titles("{{ temp|")).toEqual(["nodes.get.output.temperature"]);
  });

  it("adds missing braces when a choice is accepted", () => {
    const open = at("Hi {{ trigger.w|")!;
    expect(applyChoice("Hi {{ trigger.w", open, open.choices[0]!)).toEqual({
      text: "Hi {{ trigger.who }}",
      caret: 17,
    });
    const closed = at("{{ da| }}!")!;
    expect(applyChoice("{{ da }}!", closed, closed.choices[1]!).text).toBe("{{ data.city }}!");
    const asked = at("Hi |!", "value", true)!;
    expect(applyChoice("Hi !", asked, asked.choices[0]!).text).toBe("Hi {{ data }}!");
    const next = at("{{ da| and {{ data }}")!;
    expect(applyChoice("{{ da and {{ data }}", next, next.choices[0]!).text).toBe(
      "{{ data }} and {{ data }}",
    );
  });
});
