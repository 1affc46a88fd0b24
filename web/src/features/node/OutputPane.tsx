/** The output of a node in the run on the canvas. */

import { useMemo, useState } from "react";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import { formatValue } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import type { Json, WorkflowNode } from "../../model/workflow/workflow";
import { useRunState } from "../../state/editorContext";
import type { DataLook } from "../../ui/DataView";
import { DataView } from "../../ui/DataView";
import { Untrusted } from "../../ui/Untrusted";

export function OutputPane({ node }: { node: WorkflowNode }) {
  const step = useRunState((state) => {
    const key = state.run?.stepsOfNode[node.id]?.at(-1);
    return key ? state.run!.steps[key] : undefined;
  });
  const error = step?.status === "failed" ? step.attempts.at(-1)?.error : undefined;
  return (
    <>
      <div className="node-view__pane-head">
        <h3>Output</h3>
        {step && <span className="faint">from the last run</span>}
      </div>
      {error ? (
        <div className="step-error" role="alert">
          <strong>
            <Untrusted {...safeText(error.message)} />
          </strong>
          {error.hint && (
            <p>
              <Untrusted {...safeText(error.hint)} />
            </p>
          )}
          <span className="mono faint">{error.code}</span>
        </div>
      ) : step?.value !== undefined ? (
        <OutputValue value={step.value} />
      ) : (
        <p className="node-view__none">
          {step?.truncated ? "The output is large; open the run to see it." : "No output yet."}
        </p>
      )}
    </>
  );
}

const OPEN: ReadonlySet<string> = new Set(["output"]);

export function OutputValue({ value }: { value: Json }) {
  const [look, setLook] = useState<DataLook>("tree");
  const items = useMemo(() => [valueItem("output", "Output", value)], [value]);
  return (
    <DataView
      label="Output"
      look={look}
      onLook={setLook}
      items={items}
      open={OPEN}
      table={() => tableOf(value)}
      json={() => formatValue(value)}
    />
  );
}
