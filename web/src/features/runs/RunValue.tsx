/** A value of a run: as text, table, tree or JSON, with its images; of a large value the beginning. */

import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import { imagePointers } from "../../model/run/images";
import type { TruncatedValue } from "../../model/run/runState";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import type { Json } from "../../model/workflow/workflow";
import type { ValueSource } from "../../queries/runs";
import { loadImage, loadValue } from "../../queries/runs";
import { notifyError } from "../../state/notices";
import type { ValueLook } from "../../state/runPanel";
import { runPanelStore, setLook } from "../../state/runPanel";
import { Button } from "../../ui/Button";
import { Tabs } from "../../ui/Tabs";
import { Tree } from "../../ui/Tree";
import { ValueTable } from "../../ui/ValueTable";
import "../../ui/tree.css";

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
  const looks = truncated ? NO_LOOKS : looksOf(value);
  const look = looks.find((one) => one === chosen) ?? looks[0] ?? "text";
  const { isAll } = truncated ? { isAll: false } : formatValue(value);
  const pictures = truncated ? truncated.pictures : imagePointers(value);
  return (
    <>
      {source?.part === "output" &&
        pictures.map((at) => <RunImage key={at} source={source} at={at} name={name} />)}
      {looks.length > 1 ? (
        <div className="value-views">
          <Tabs<ValueLook>
            label="View"
            tabs={looks.toSorted(byOrder).map((one) => ({ name: one, title: LOOK_TITLES[one] }))}
            current={look}
            onChange={setLook}
          >
            <ValueIn look={look} name={name} value={value as Json} />
          </Tabs>
        </div>
      ) : (
        <pre className="value" tabIndex={0} role="region" aria-label={name}>
          {formatValue(truncated ? truncated.text : value).text}
        </pre>
      )}
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

const LOOK_TITLES: Readonly<Record<ValueLook, string>> = {
  text: "Text",
  table: "Table",
  tree: "Tree",
  json: "JSON",
};
const ORDER: readonly ValueLook[] = ["text", "table", "tree", "json"];
const NO_LOOKS: readonly ValueLook[] = [];
const ROOT = "value";
const OPEN: ReadonlySet<string> = new Set([ROOT]);

function byOrder(a: ValueLook, b: ValueLook): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b);
}

/** The views of a value, the most suitable one first; a plain value has none. */
function looksOf(value: unknown): readonly ValueLook[] {
  if (typeof value !== "object" || value === null) return NO_LOOKS;
  if (toolResultText(value) !== null) return ["text", "table", "tree", "json"];
  // A list of objects, also as the only field of a result: a table must not hide other fields.
  const [only, ...others] = Array.isArray(value) ? [value as unknown] : (Object.values(value) as unknown[]);
  const items: unknown[] = Array.isArray(only) && others.length === 0 ? only : [];
  const isTable = items.length > 0 && items.every((item) => typeof item === "object" && item !== null);
  return isTable ? ["table", "tree", "json"] : ["json", "table", "tree"];
}

function ValueIn({ look, name, value }: { look: ValueLook; name: string; value: Json }) {
  const items = useMemo(() => [valueItem(ROOT, "value", value)], [value]);
  if (look === "tree") return <Tree label={`${name} as a tree`} items={items} open={OPEN} />;
  const text = toolResultText(value);
  // The text of a tool result is often JSON itself.
  if (look === "table") return <ValueTable label={`${name} as a table`} {...tableOf(text ?? value)} />;
  return (
    <pre
      className="value"
      tabIndex={0}
      role="region"
      aria-label={look === "json" && text ? `${name} as JSON` : name}
    >
      {formatValue(look === "json" ? value : text).text}
    </pre>
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
