/** A value as a tree, a table or JSON, and as text if it has one. */

import { JsonText } from "./JsonText";
import { Tabs } from "./Tabs";
import type { TreeItem } from "./Tree";
import { Tree } from "./Tree";
import { ValueTable } from "./ValueTable";
import "./tree.css";

export type DataLook = "text" | "tree" | "table" | "json";

const LOOKS: readonly { name: DataLook; title: string }[] = [
  { name: "tree", title: "Tree" },
  { name: "table", title: "Table" },
  { name: "json", title: "JSON" },
];
const LOOKS_WITH_TEXT: typeof LOOKS = [{ name: "text", title: "Text" }, ...LOOKS];

interface Props {
  label: string;
  look: DataLook;
  onLook(look: DataLook): void;
  items: readonly TreeItem[];
  open: ReadonlySet<string>;
  only?: ReadonlySet<string> | undefined;
  /** Computed only when the table is shown. */
  table(): { columns: readonly string[]; rows: readonly (readonly string[])[]; hidden: number };
  /** The value as text, and whether it is complete. */
  json(): { text: string; isAll: boolean };
  /** The text to read, if the value is more than that. */
  text?(): { text: string; isAll: boolean };
  dragType?: string;
  chooseTitle?: string;
  onChoose?(path: string, kind: string): void;
}

export function DataView({ label, look, onLook, table, json, text, ...tree }: Props) {
  const looks = text ? LOOKS_WITH_TEXT : LOOKS;
  return (
    <div className="data-view">
      <Tabs<DataLook> label={`${label} as`} tabs={looks} current={look} onChange={onLook}>
        {look === "text" && text ? (
          <LongText label={`${label} as text`} {...text()} />
        ) : look === "tree" ? (
          <Tree label={label} {...tree} />
        ) : look === "table" ? (
          <ValueTable label={`${label} as a table`} {...table()} />
        ) : (
          <LongText label={`${label} as JSON`} {...json()} />
        )}
      </Tabs>
    </div>
  );
}

function LongText({ label, text, isAll }: { label: string; text: string; isAll: boolean }) {
  return (
    <>
      <pre className="value" tabIndex={0} role="region" aria-label={label}>
        <JsonText text={text} />
      </pre>
      {!isAll && <p className="faint">Only the beginning is shown.</p>}
    </>
  );
}
