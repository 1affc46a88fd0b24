/** A value as text, table, tree or JSON. */

import { useMemo } from "react";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import type { ValueLook } from "../../model/data/valueLooks";
import { byOrder, LOOK_TITLES, looksOf, NO_LOOKS } from "../../model/data/valueLooks";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import type { Json } from "../../model/workflow/workflow";
import { JsonText } from "../../ui/JsonText";
import { Tabs } from "../../ui/Tabs";
import { Tree } from "../../ui/Tree";
import { ValueTable } from "../../ui/ValueTable";
import "../../ui/tree.css";

interface Props {
  name: string;
  value: unknown;
  /** The beginning of a value that is too large to be sent. */
  beginning?: string | undefined;
  /** The view that was chosen last. */
  chosen: ValueLook | null;
  onChoose(look: ValueLook): void;
}

const ROOT = "value";
const OPEN: ReadonlySet<string> = new Set([ROOT]);

export function ValueViews({ name, value, beginning, chosen, onChoose }: Props) {
  const looks = beginning === undefined ? looksOf(value) : NO_LOOKS;
  if (beginning === "") return null;
  const look = looks.find((one) => one === chosen) ?? looks[0] ?? "text";
  if (looks.length <= 1)
    return (
      <pre className="value" tabIndex={0} role="region" aria-label={name}>
        {formatValue(beginning ?? value).text}
      </pre>
    );
  return (
    <div className="value-views">
      <Tabs<ValueLook>
        label="View"
        tabs={looks.toSorted(byOrder).map((one) => ({ name: one, title: LOOK_TITLES[one] }))}
        current={look}
        onChange={onChoose}
      >
        <ValueIn look={look} name={name} value={value as Json} />
      </Tabs>
    </div>
  );
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
      <JsonText text={formatValue(look === "json" ? value : text).text} />
    </pre>
  );
}
