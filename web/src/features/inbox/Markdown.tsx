import { safeText } from "../../model/text/untrusted";
import type { Block, Inline } from "../../model/text/markdown";
import { parseMarkdown } from "../../model/text/markdown";
import { Badge } from "../../ui/Badge";

/** Text of a workflow, rendered as Markdown without HTML, images or links that can be followed. */
export function Markdown({ text }: { text: string }) {
  const { text: safe, warnings } = safeText(text);
  return (
    <div className="markdown">
      {warnings.length > 0 && (
        <Badge tone="warn" title="Shown without HTML and links">
          contains {warnings.join(", ")}
        </Badge>
      )}
      {parseMarkdown(safe).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading":
      return (
        <p className="markdown__heading" role="heading" aria-level={Math.min(block.level + 1, 6)}>
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

function InlineView({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, at) => {
    if (part.kind === "strong") return <strong key={at}>{part.text}</strong>;
    if (part.kind === "emphasis") return <em key={at}>{part.text}</em>;
    if (part.kind === "code") return <code key={at}>{part.text}</code>;
    if (part.kind === "link") return <span key={at}>{`${part.text} (${part.address})`}</span>;
    return <span key={at}>{part.text}</span>;
  });
}
