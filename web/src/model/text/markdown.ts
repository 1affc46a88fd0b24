/** The Markdown that people write in questions, as data: headings, lists, quotes, code and emphasis. */

export type Inline =
  | { kind: "text" | "strong" | "emphasis" | "code"; text: string }
  /** A link of somebody else: its address is shown, not followed. */
  | { kind: "link"; text: string; address: string };

export type Block =
  | { kind: "heading"; level: number; content: Inline[] }
  | { kind: "paragraph" | "quote"; content: Inline[] }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "code"; text: string };

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^\s{0,8}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

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
  const [rows, next] = takeWhile(lines, at, (row) => (isText(row) ? row : undefined));
  return [{ kind: "paragraph", content: parseInline(rows.join("\n")) }, next];
}

function isText(line: string): boolean {
  return line.trim() !== "" && ![FENCE, HEADING, ITEM, QUOTE].some((other) => other.test(line));
}

function readCode(lines: readonly string[], at: number, fence: string): [Block, number] {
  const end = lines.findIndex((line, index) => index >= at && line.trimStart().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return [{ kind: "code", text: lines.slice(at, last).join("\n") }, last + 1];
}

function takeWhile(
  lines: readonly string[],
  at: number,
  read: (line: string) => string | undefined,
): [string[], number] {
  const rows: string[] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const row = read(lines[next]!);
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
