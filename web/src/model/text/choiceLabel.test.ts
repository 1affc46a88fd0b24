import { expect, test } from "vitest";
import { choiceLabel } from "./choiceLabel";

test.each([
  ["json", "JSON"],
  ["header_token", "Header token"],
  ["startTime", "Start time"],
  ["desc", "Descending"],
  ["none", "None"],
  ["GET", "GET"],
  ["utf-8", "utf-8"],
  ["gpt-5-mini", "gpt-5-mini"],
  ["1024x1024", "1024x1024"],
  ["toString", "To string"],
])("%s is shown as %s", (value, label) => {
  expect(choiceLabel(value)).toBe(label);
});
