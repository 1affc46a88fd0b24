/** A value of a run: as text, table, tree or JSON, with its images; of a large value the beginning. */

import { useStore } from "zustand";
import { mediaIn, mediaViews } from "../../model/run/media";
import type { TruncatedValue } from "../../model/run/runState";
import { formatValue } from "../../model/text/formatValue";
import type { ValueSource } from "../../queries/runs";
import { loadMedia, loadValue } from "../../queries/runs";
import { notifyError } from "../../state/notices";
import { runPanelStore, setLook } from "../../state/runPanel";
import { Button } from "../../ui/Button";
import { MediaParts } from "../../ui/MediaParts";
import { ValueViews } from "./ValueViews";

interface Props {
  name: string;
  value: unknown;
  /** Replaces a value that is too large to be sent. */
  truncated?: TruncatedValue | undefined;
  /** Where the whole value can be loaded from. */
  source?: ValueSource;
}

export function RunValue({ name, value, truncated, source }: Props) {
  const chosen = useStore(runPanelStore, (state) => state.look);
  const { isAll } = truncated ? { isAll: false } : formatValue(value);
  const media = truncated ? truncated.media : mediaIn(value);
  return (
    <>
      {source?.part === "output" && (
        <MediaParts
          name={name}
          parts={mediaViews(media)}
          load={(at) => loadMedia(source.run, source.step, at)}
        />
      )}
      <ValueViews name={name} value={value} beginning={truncated?.text} chosen={chosen} onChoose={setLook} />
      {!isAll && (
        <p className="row faint">
          {truncated
            ? `A part of ${truncated.chars.toLocaleString("en")} characters is shown.`
            : "The beginning is shown."}
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
