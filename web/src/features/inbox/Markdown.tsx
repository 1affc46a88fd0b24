import { parseMarkdown } from "../../model/text/markdown";
import { safeText } from "../../model/text/untrusted";
import { MarkdownText } from "../../ui/MarkdownBlocks";

/** Text of a workflow, rendered as Markdown without HTML, images or links that can be followed. */
export function Markdown({ text }: { text: string }) {
  const { text: safe, warnings } = safeText(text);
  return <MarkdownText blocks={parseMarkdown(safe)} warnings={warnings} />;
}
