/** A flow of a library, run with the inputs it names; what it gave stands below. */

import { useState } from "react";
import { readJson } from "../../model/form/values";
import { shownText } from "../../model/text/untrusted";
import { shownValue } from "../../model/text/formatValue";
import type { JsonObject } from "../../model/workflow/workflow";
import { useDoing } from "../../queries/action";
import type { FlowExecution } from "../../queries/manage";
import { runFlow, useFlowInputs } from "../../queries/manage";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";

export function FlowRun({ library, flow }: { library: string; flow: string }) {
  const { data: names } = useFlowInputs(library, flow);
  const [typed, setTyped] = useState<string | null>(null);
  const [given, setGiven] = useState<FlowExecution | null>(null);
  const [doing, start] = useDoing();
  const text = typed ?? JSON.stringify(Object.fromEntries((names ?? []).map((name) => [name, ""])), null, 2);
  const { value, fault } = readJson(text || "{}");
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const run = () => void start("Not run", async () => setGiven(await runFlow(library, flow, value as JsonObject)));
  return (
    <section className="flow-run" aria-label={`Run ${flow}`}>
      <Field label="Inputs, as JSON" fault={fault ?? (isObject ? null : "an object is expected")}>
        {(id, _, said) => <textarea id={id} {...said} className="textarea textarea--code" rows={6} spellCheck={false} value={text} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      <div className="row">
        <Button look="primary" icon="play" disabled={doing || !isObject} onClick={run}>
          {doing ? "Running…" : "Run it"}
        </Button>
      </div>
      {given && (
        <div role="status">
          <p>
            <Badge tone={given.status === "success" ? "good" : "bad"}>{given.status}</Badge> in {given.totalExecutionTimeMs} ms
          </p>
          {given.error && <p className="field__fault">{shownText(String(given.error["message"] ?? "")).text}</p>}
          <pre className="flow-result" tabIndex={0}>
            {shownValue(given.finalResult).text}
          </pre>
        </div>
      )}
    </section>
  );
}
