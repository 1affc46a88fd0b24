/** Runs a flow of a library with the inputs it declares, and shows the result. */

import { useState } from "react";
import { parseJson } from "../../model/form/values";
import { formatValue } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import type { JsonObject } from "../../model/workflow/workflow";
import { useAction } from "../../queries/action";
import type { FlowExecution } from "../../queries/libraries";
import { runFlow, useFlowInputs } from "../../queries/libraries";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { JsonField } from "../../ui/JsonField";

export function FlowRun({ library, flow }: { library: string; flow: string }) {
  const { data: names } = useFlowInputs(library, flow);
  const [typed, setTyped] = useState<string | null>(null);
  const [execution, setExecution] = useState<FlowExecution | null>(null);
  const [isBusy, runAction] = useAction();
  const text = typed ?? JSON.stringify(Object.fromEntries((names ?? []).map((name) => [name, ""])), null, 2);
  const { value, fault } = parseJson(text || "{}");
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const run = () =>
    void runAction("Not run", async () => setExecution(await runFlow(library, flow, value as JsonObject)));
  return (
    <section className="flow-run" aria-label={`Run ${flow}`}>
      <JsonField
        label="Inputs, as JSON"
        value={text}
        fault={fault ?? (isObject ? null : "an object is expected")}
        isFocused
        onChange={setTyped}
      />
      <div className="row">
        <Button look="primary" icon="play" disabled={isBusy || !isObject} onClick={run}>
          {isBusy ? "Running…" : "Run"}
        </Button>
      </div>
      {execution && (
        <div role="status">
          <p>
            <Badge tone={execution.status === "success" ? "good" : "bad"}>{execution.status}</Badge> in{" "}
            {execution.totalExecutionTimeMs} ms
          </p>
          {execution.error && (
            <p className="field__fault">{safeText(String(execution.error["message"] ?? "")).text}</p>
          )}
          <pre className="flow-result" tabIndex={0}>
            {formatValue(execution.finalResult).text}
          </pre>
        </div>
      )}
    </section>
  );
}
