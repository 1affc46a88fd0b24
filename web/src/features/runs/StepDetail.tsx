/** One step: what came in, what it gave, its tries; and running again from here. */

import { useState } from "react";
import type { Step } from "../../model/runState";
import { shownMs, tookMs } from "../../model/runState";
import { shownValue } from "../../model/visible";
import { useStepInput } from "../../queries/runs";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Tabs } from "../../ui/Tabs";
import { toneOf } from "./tones";

type TabName = "output" | "input" | "tries";
const TABS: readonly { name: TabName; title: string }[] = [
  { name: "output", title: "Output" },
  { name: "input", title: "Input" },
  { name: "tries", title: "Log and tries" },
];

interface Props {
  run: string;
  step: Step;
  title: string;
  canRerun: boolean;
  onRerun(): void;
}

export function StepDetail({ run, step, title, canRerun, onRerun }: Props) {
  const [tab, setTab] = useState<TabName>("output");
  const input = useStepInput(run, step.key, step.status);
  return (
    <section className="step-detail" aria-label={`Step ${title}`}>
      <div className="step-detail__head">
        <h3>{title}</h3>
        <Badge tone={toneOf(step.status)}>{step.status}</Badge>
        {step.finishedAt && <span className="faint">{shownMs(tookMs(step.startedAt, step.finishedAt))}</span>}
        <span className="step-detail__space" />
        <Button icon="again" disabled={!canRerun} onClick={onRerun}>
          Re-run from here
        </Button>
      </div>
      <Tabs<TabName> label="What to see of the step" tabs={TABS} current={tab} onChange={setTab}>
        {tab === "output" && <Value value={step.status === "waiting" ? step.question : step.value} name={`${title} output`} />}
        {tab === "input" && (input.error ? <p className="faint">Not known: {input.error.message}</p> : <Value value={input.data} name={`${title} input`} />)}
        {tab === "tries" && <Tries step={step} />}
      </Tabs>
    </section>
  );
}

function Value({ value, name }: { value: unknown; name: string }) {
  const { text, isAll } = shownValue(value);
  return (
    <>
      <pre className="value" tabIndex={0} role="region" aria-label={name}>
        {text}
      </pre>
      {!isAll && (
        <p className="faint">
          Only the beginning is shown.{" "}
          <Button look="quiet" icon="download" onClick={() => download(value, name)}>
            Save all of it
          </Button>
        </p>
      )}
    </>
  );
}

function download(value: unknown, name: string): void {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${name}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Tries({ step }: { step: Step }) {
  return (
    <ol className="tries">
      {step.tries.map((one) => (
        <li key={one.attempt}>
          <span className="mono">{new Date(one.startedAt).toLocaleTimeString()}</span> try {one.attempt}
          {one.finishedAt && <span className="faint"> · {shownMs(tookMs(one.startedAt, one.finishedAt))}</span>}
          {one.error && (
            <div className="tries__error">
              {one.error.message} <span className="mono faint">{one.error.code}</span>
              {one.error.hint && <div className="faint">{one.error.hint}</div>}
            </div>
          )}
        </li>
      ))}
      {step.tries.length === 0 && <li className="faint">Computed at once.</li>}
    </ol>
  );
}
