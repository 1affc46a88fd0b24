/** What a tool said in text beside its structured content. */

export function ToolText({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <pre className="value" tabIndex={0} role="region" aria-label="Text of the tool">
      {text}
    </pre>
  );
}
