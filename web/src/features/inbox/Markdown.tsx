import { safeText } from "../../model/text/untrusted";
import { parseMarkdown } from "../../model/text/markdown";
import { Badge } from "../../ui/Badge";
import { MarkdownBlocks } from "../../ui/MarkdownBlocks";

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
      <MarkdownBlocks blocks={parseMarkdown(safe)} />
    </div>
  );
}
