import { expect, test } from "vitest";
import { diffLines } from "./lineDiff";

const changed = (left: string, right: string) =>
  diffLines(left, right).map((side) => side.filter(({ isChanged }) => isChanged).map(({ text }) => text));

test("only lines without a counterpart are marked", () => {
  expect(changed("a\nb\nc", "a\nx\nb\nc")).toEqual([[], ["x"]]);
  expect(changed("{\n high: 3\n}", "{\n high: 4\n}")).toEqual([[" high: 3"], [" high: 4"]]);
  expect(changed("a", "a")).toEqual([[], []]);
});

test("long texts are compared at the same place", () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}`);
  const edited = lines.with(500, "edited");
  expect(changed(lines.join("\n"), edited.join("\n"))).toEqual([["line 500"], ["edited"]]);
});
