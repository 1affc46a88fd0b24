import { expect, test } from "vitest";
import { firstLine, parseInline, parseMarkdown } from "./markdown";

test("blocks are recognized, and HTML stays text", () => {
  const text = "# Refund\n\nOrder **7**\n<b>now</b>\n\n- one\n- `two`\n\n> said\n\n```\n# code\n```";
  expect(parseMarkdown(text)).toEqual([
    { kind: "heading", level: 1, content: [{ kind: "text", text: "Refund" }] },
    {
      kind: "paragraph",
      content: [
        { kind: "text", text: "Order " },
        { kind: "strong", text: "7" },
        { kind: "text", text: "\n<b>now</b>" },
      ],
    },
    {
      kind: "list",
      isOrdered: false,
      items: [[{ kind: "text", text: "one" }], [{ kind: "code", text: "two" }]],
    },
    { kind: "quote", content: [{ kind: "text", text: "said" }] },
    { kind: "code", text: "# code" },
  ]);
});

test("a link keeps its address to be shown; names with underscores are no emphasis", () => {
  expect(parseInline("see [this](https://x.example/a) or node_2_result")).toEqual([
    { kind: "text", text: "see " },
    { kind: "link", text: "this", address: "https://x.example/a" },
    { kind: "text", text: " or node_2_result" },
  ]);
});

test("a code block that is not closed ends with the text, and long nonsense is read quickly", () => {
  expect(parseMarkdown("```\nx")).toEqual([{ kind: "code", text: "x" }]);
  const nonsense = "*[`_".repeat(20_000);
  expect(
    parseInline(nonsense)
      .map((part) => part.text)
      .join("").length,
  ).toBeGreaterThan(0);
});

test("a list shows the first line without its marks", () => {
  expect(firstLine("\n# Send the **offer**?\n\n- one")).toBe("Send the offer?");
  expect(firstLine("- one\n- two")).toBe("one");
  expect(firstLine("")).toBe("");
});

test("a table has the columns of its header, and a line with a bar alone is text", () => {
  const text = (value: string) => [{ kind: "text", text: value }];
  expect(
    parseMarkdown("Prices:\n| item | price |\n|:--|--:|\n| desk \\| oak | 120 | more |\n| chair |\n\nEnd"),
  ).toEqual([
    { kind: "paragraph", content: text("Prices:") },
    {
      kind: "table",
      head: [text("item"), text("price")],
      rows: [
        [text("desk | oak"), text("120")],
        [text("chair"), []],
      ],
    },
    { kind: "paragraph", content: text("End") },
  ]);
  expect(parseMarkdown("a | b\nc")).toEqual([{ kind: "paragraph", content: text("a | b\nc") }]);
  expect(firstLine("a | b\n---|---")).toBe("a b");
  expect(parseMarkdown("|" + " ".repeat(50_000) + "\n" + "|-".repeat(50_000) + "x")).toHaveLength(1);
});
