/** The result of an expression with the data of the last run, or its error. */

import type { Language } from "../../model/form/completion";
import { hintText } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import type { Preview } from "../../queries/expressions";
import { usePreview } from "../../queries/expressions";
import { Untrusted } from "../../ui/Untrusted";

interface Props {
  node: string;
  field: string;
  text: string;
  language: Language;
  /** Codes of problems that are shown at the field already. */
  shownCodes: ReadonlySet<string>;
}

export function ExpressionPreview({ node, field, text, language, shownCodes }: Props) {
  const seesNode = language === "own" || language === "config";
  const { preview, error, isOld } = usePreview({ node, field, text, seesNode, isOn: text !== "" });
  if (error) return <p className="preview preview--none">No preview: {error.message}</p>;
  if (!preview) return null;
  return (
    <div className={isOld ? "preview preview--old" : "preview"} role="status" aria-busy={isOld}>
      <PreviewValue preview={preview} />
      {preview.faults.map((fault) => (
        <div
          key={`${fault.code} ${fault.offset}`}
          className={fault.severity === "error" ? "preview__fault" : "preview__fault preview__fault--warning"}
        >
          <ErrorContext text={text} offset={fault.offset} />
          {!shownCodes.has(fault.code) && (
            <>
              <Untrusted {...safeText(fault.message)} />
              {fault.hint && <span className="faint"> — {hintText(fault.hint)}</span>}
            </>
          )}
        </div>
      ))}
    </div>
  );
}

function PreviewValue({ preview: { value, run, reached, faults } }: { preview: Preview }) {
  if (value === null) {
    if (faults.some(({ severity }) => severity === "error")) return null;
    return (
      <span className="preview--none">
        {run === null
          ? "No run yet. Run the workflow once to see the result."
          : "The result is known only when the workflow runs."}
      </span>
    );
  }
  const isCut = value.chars > value.text.length;
  return (
    <>
      <span className="preview__kind">{value.kind}</span>
      <pre className="preview__value" tabIndex={0} role="region" aria-label="Result">
        <Untrusted {...safeText(value.text)} />
        {isCut && <span className="faint"> … {value.chars.toLocaleString("en")} characters in all</span>}
      </pre>
      {run && !reached && <span className="preview--none">Not reached in the last run.</span>}
    </>
  );
}

const CONTEXT_CHARS = 24;

/** The text around a character, with that character highlighted. */
function ErrorContext({ text, offset }: { text: string; offset: number }) {
  // The service counts code points, not UTF-16 units.
  const all = [...text];
  const at = Math.min(offset, all.length);
  const [before, here, after] = [
    all.slice(Math.max(0, at - CONTEXT_CHARS), at),
    all[at] ?? " ",
    all.slice(at + 1, at + CONTEXT_CHARS),
  ];
  return (
    <code className="preview__place">
      <span className="visually-hidden">At character {at + 1}: </span>
      {at > CONTEXT_CHARS && "…"}
      {safeText(before.join("")).text}
      <mark>{safeText(here).text}</mark>
      {safeText(after.join("")).text}
      {all.length > at + CONTEXT_CHARS && "…"}
    </code>
  );
}
