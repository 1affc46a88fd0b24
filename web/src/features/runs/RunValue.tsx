/** A value of a run: as text, its pictures as pictures; of a large one the beginning, and a way to all of it. */

import { useEffect, useState } from "react";
import { notifyError } from "../../state/notices";
import { picturesIn } from "../../model/run/images";
import type { Cut } from "../../model/run/runState";
import { shownValue, textOf } from "../../model/text/formatValue";
import type { Source } from "../../queries/runs";
import { loadPicture, loadWhole } from "../../queries/runs";
import { Button } from "../../ui/Button";

interface Props {
  name: string;
  value: unknown;
  /** Told instead of a value that is too large to be sent. */
  cut?: Cut | undefined;
  /** Where all of it is. */
  source?: Source;
}

export function Value({ name, value, cut, source }: Props) {
  const said = cut ? null : textOf(value);
  const { text, isAll } = cut ? { text: shownValue(cut.text).text, isAll: false } : shownValue(said ?? value);
  const pictures = cut ? cut.pictures : picturesIn(value);
  return (
    <>
      {source?.part === "output" && pictures.map((at) => <Picture key={at} source={source} at={at} name={name} />)}
      <pre className="value" tabIndex={0} role="region" aria-label={name}>
        {text}
      </pre>
      {said !== null && <AsJson name={name} value={value} />}
      {!isAll && (
        <p className="row faint">
          The beginning is shown{cut ? ` of ${cut.chars.toLocaleString("en")} characters` : ""}.
          {source && (
            <Button look="quiet" icon="download" onClick={() => void save(source, name)}>
              Download all of it
            </Button>
          )}
        </p>
      )}
    </>
  );
}

/** The whole of an answer whose text is shown. */
function AsJson({ name, value }: { name: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="value__more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "▾" : "▸"} As JSON
      </button>
      {isOpen && (
        <pre className="value" tabIndex={0} role="region" aria-label={`${name} as JSON`}>
          {shownValue(value).text}
        </pre>
      )}
    </>
  );
}

async function save(source: Source, name: string): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await loadWhole(source));
    link.download = `${name}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    notifyError(error, "Not downloaded");
  }
}

function Picture({ source, at, name }: { source: Source; at: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const { run, step } = source;
  useEffect(() => {
    let made: string | null = null;
    let isGone = false;
    loadPicture(run, step, at)
      .then((picture) => {
        if (isGone) return;
        made = URL.createObjectURL(picture);
        setUrl(made);
      })
      .catch(() => setUrl(null));
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [run, step, at]);
  return url && <img className="value__picture" src={url} alt={`Picture of ${name}`} />;
}
