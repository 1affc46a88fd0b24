/** Parsed Markdown as elements: no HTML, no images, and no links that can be followed. */

import { Badge } from "./Badge";
import { headingLevels } from "./headingLevels";

export type MarkdownInline =
  | { kind: "text" | "strong" | "emphasis" | "code"; text: string }
  | { kind: "link"; text: string; address: string };

export type MarkdownBlock =
  | { kind: "heading"; level: number; content: MarkdownInline[] }
  | { kind: "paragraph" | "quote"; content: MarkdownInline[] }
  | { kind: "list"; isOrdered: boolean; items: MarkdownInline[][] }
  | { kind: "table"; head: MarkdownInline[][]; rows: MarkdownInline[][][] }
  | { kind: "code"; text: string };

/** A text of somebody else; a badge warns of what is shown without effect. */
export function MarkdownText({ blocks, warnings }: { blocks: MarkdownBlock[]; warnings: readonly string[] }) {
  return (
    <div className="markdown">
      {warnings.length > 0 && (
        <Badge tone="warn" title="Shown without HTML and links">
          contains {warnings.join(", ")}
        </Badge>
      )}
      <MarkdownBlocks blocks={blocks} />
    </div>
  );
}

export function MarkdownBlocks({ blocks }: { blocks: readonly MarkdownBlock[] }) {
  const levels = headingLevels(blocks);
  return blocks.map((block, at) => <BlockView key={at} block={block} level={levels[at]!} />);
}

function BlockView({ block, level }: { block: MarkdownBlock; level: number }) {
  switch (block.kind) {
    case "heading":
      return (
        <p className="markdown__heading" role="heading" aria-level={level}>
          <InlineView parts={block.content} />
        </p>
      );
    case "list": {
      const items = block.items.map((parts, at) => (
        <li key={at}>
          <InlineView parts={parts} />
        </li>
      ));
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return <TableView head={block.head} rows={block.rows} />;
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>;
    case "quote":
      return (
        <blockquote>
          <InlineView parts={block.content} />
        </blockquote>
      );
    case "paragraph":
      return (
        <p>
          <bdi>
            <InlineView parts={block.content} />
          </bdi>
        </p>
      );
  }
}

function TableView({ head, rows }: { head: MarkdownInline[][]; rows: MarkdownInline[][][] }) {
  return (
    <div className="markdown__table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                <InlineView parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={at}>
                  <InlineView parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InlineView({ parts }: { parts: readonly MarkdownInline[] }) {
  return parts.map((part, at) => {
    if (part.kind === "strong") return <strong key={at}>{part.text}</strong>;
    if (part.kind === "emphasis") return <em key={at}>{part.text}</em>;
    if (part.kind === "code") return <code key={at}>{part.text}</code>;
    if (part.kind === "link") return <span key={at}>{`${part.text} (${part.address})`}</span>;
    return <span key={at}>{part.text}</span>;
  });
}
