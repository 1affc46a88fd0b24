/** A value of a run: as text, with its images; of a large value the beginning and a download link. */

import { useEffect, useState } from "react";
import { imagePointers } from "../../model/run/images";
import type { TruncatedValue } from "../../model/run/runState";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import type { ValueSource } from "../../queries/runs";
import { loadImage, loadValue } from "../../queries/runs";
import { notifyError } from "../../state/notices";
import { Button } from "../../ui/Button";

interface Props {
  name: string;
  value: unknown;
  /** Replaces a value that is too large to be sent. */
  truncated?: TruncatedValue | undefined;
  /** Where the whole value can be loaded from. */
  source?: ValueSource;
}

export function RunValue({ name, value, truncated, source }: Props) {
  const resultText = truncated ? null : toolResultText(value);
  const { text, isAll } = truncated
    ? { text: formatValue(truncated.text).text, isAll: false }
    : formatValue(resultText ?? value);
  const pictures = truncated ? truncated.pictures : imagePointers(value);
  return (
    <>
      {source?.part === "output" &&
        pictures.map((at) => <RunImage key={at} source={source} at={at} name={name} />)}
      <pre className="value" tabIndex={0} role="region" aria-label={name}>
        {text}
      </pre>
      {resultText !== null && <AsJson name={name} value={value} />}
      {!isAll && (
        <p className="row faint">
          The beginning is shown{truncated ? ` of ${truncated.chars.toLocaleString("en")} characters` : ""}.
          {source && (
            <Button look="quiet" icon="download" onClick={() => void save(source, name)}>
              Download everything
            </Button>
          )}
        </p>
      )}
    </>
  );
}

/** The whole result of a tool whose text is shown. */
function AsJson({ name, value }: { name: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="value__more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "▾" : "▸"} As JSON
      </button>
      {isOpen && (
        <pre className="value" tabIndex={0} role="region" aria-label={`${name} as JSON`}>
          {formatValue(value).text}
        </pre>
      )}
    </>
  );
}

async function save(source: ValueSource, name: string): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await loadValue(source));
    link.download = `${name}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    notifyError(error, "Not downloaded");
  }
}

function RunImage({ source, at, name }: { source: ValueSource; at: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const { run, step } = source;
  useEffect(() => {
    let objectUrl: string | null = null;
    let isGone = false;
    loadImage(run, step, at)
      .then((picture) => {
        if (isGone) return;
        objectUrl = URL.createObjectURL(picture);
        setUrl(objectUrl);
      })
      .catch(() => setUrl(null));
    return () => {
      isGone = true;
      if (objectUrl) URL.revokeObjectURL(objectUrl);
    };
  }, [run, step, at]);
  return url && <img className="value__picture" src={url} alt={`Image of ${name}`} />;
}
