/** The Markdown that people write in questions, as data: headings, lists, tables, quotes, code and emphasis. */

export type Inline =
  | { kind: "text" | "strong" | "emphasis" | "code"; text: string }
  /** A link of somebody else: its address is shown, not followed. */
  | { kind: "link"; text: string; address: string };

export type Block =
  | { kind: "heading"; level: number; content: Inline[] }
  | { kind: "paragraph" | "quote"; content: Inline[] }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "code"; text: string };

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^\s{0,8}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
/** The line below the header of a table: `|---|:-:|`. */
const RULE = /^ {0,3}\|?(?:\s{0,20}:?-+:?\s{0,20}\|)+(?:\s{0,20}:?-+:?\s{0,20})?$/;
const MAX_COLUMNS = 50;

export function parseMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = readBlock(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

/** The first heading, paragraph or list item without its marks, for a line in a list. */
export function firstLine(text: string): string {
  const [block] = parseMarkdown(text);
  if (!block) return "";
  if (block.kind === "code") return block.text;
  if (block.kind === "table") return block.head.flatMap((cell) => cell.map((part) => part.text)).join(" ");
  const parts = block.kind === "list" ? (block.items[0] ?? []) : block.content;
  return parts.map((part) => part.text).join("");
}

/** The block that begins at a line, and the line after it. */
function readBlock(lines: readonly string[], at: number): [Block | null, number] {
  const line = lines[at]!;
  if (line.trim() === "") return [null, at + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence) return readCode(lines, at + 1, fence);
  const heading = HEADING.exec(line);
  if (heading)
    return [{ kind: "heading", level: heading[1]!.length, content: parseInline(heading[2]!) }, at + 1];
  const item = ITEM.exec(line);
  if (item) {
    const [rows, next] = takeWhile(lines, at, (row) => ITEM.exec(row)?.[2]);
    return [{ kind: "list", isOrdered: item[1] !== undefined, items: rows.map(parseInline) }, next];
  }
  if (QUOTE.test(line)) {
    const [rows, next] = takeWhile(lines, at, (row) => QUOTE.exec(row)?.[1]);
    return [{ kind: "quote", content: parseInline(rows.join("\n")) }, next];
  }
  if (isTable(lines, at)) return readTable(lines, at);
  const [rows, next] = takeWhile(lines, at, (row, index) =>
    isText(row) && (index === at || !isTable(lines, index)) ? row : undefined,
  );
  return [{ kind: "paragraph", content: parseInline(rows.join("\n")) }, next];
}

function isText(line: string): boolean {
  return line.trim() !== "" && ![FENCE, HEADING, ITEM, QUOTE].some((other) => other.test(line));
}

function isTable(lines: readonly string[], at: number): boolean {
  return lines[at]!.includes("|") && RULE.test(lines[at + 1] ?? "");
}

/** Rows have as many cells as the header: missing ones are empty, further ones are dropped. */
function readTable(lines: readonly string[], at: number): [Block, number] {
  const head = cellsOf(lines[at]!);
  const [rows, next] = takeWhile(lines, at + 2, (row) => (row.includes("|") ? row : undefined));
  const cells = rows.map((row) => {
    const written = cellsOf(row);
    return head.map((_, column) => parseInline(written[column] ?? ""));
  });
  return [{ kind: "table", head: head.map(parseInline), rows: cells }, next];
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\||(?<!\\)\|$/g, "");
  const cells = inner.split(/(?<!\\)\|/, MAX_COLUMNS);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readCode(lines: readonly string[], at: number, fence: string): [Block, number] {
  const end = lines.findIndex((line, index) => index >= at && line.trimStart().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return [{ kind: "code", text: lines.slice(at, last).join("\n") }, last + 1];
}

function takeWhile(
  lines: readonly string[],
  at: number,
  read: (line: string, index: number) => string | undefined,
): [string[], number] {
  const rows: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const row = read(lines[next]!, next);
    if (row === undefined) break;
    rows.push(row);
  }
  return [rows, next];
}

const INLINE = new RegExp(
  [
    "`([^`\\n]{1,2000})`",
    String.raw`\*\*([^*\n]{1,2000})\*\*`,
    String.raw`(?<![\w*])[*_]([^*_\n]{1,2000})[*_](?!\w)`,
    String.raw`\[([^\]\n]{1,500})\]\(([^)\s]{1,2000})\)`,
  ].join("|"),
  "g",
);

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, label, address] = match;
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (strong !== undefined) parts.push({ kind: "strong", text: strong });
    else if (emphasis !== undefined) parts.push({ kind: "emphasis", text: emphasis });
    else parts.push({ kind: "link", text: label!, address: address! });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}
