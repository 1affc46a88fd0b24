/** One step: its input, output, model activity, log and attempts; and a button to run again from here. */

import type { ReactNode } from "react";
import { useState } from "react";
import type { Mode } from "../../model/form/modes";
import type { Step } from "../../model/run/runState";
import { formatDuration, durationMs } from "../../model/run/runState";
import { shownFault } from "../../model/text/hints";
import { useStepInput } from "../../queries/runs";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { StepError } from "../../ui/StepError";
import { ToolText } from "../../ui/ToolText";
import { Tabs } from "../../ui/Tabs";
import { ModelChoices } from "./ModelChoices";
import { RunValue } from "./RunValue";
import { statusTone } from "../../ui/statusTone";
import { StepLog } from "./StepLog";
import { stepTitle } from "./Timeline";

type TabName = "output" | "input" | "known" | "chosen" | "log";
const TABS: readonly { name: TabName; title: string }[] = [
  { name: "output", title: "Output" },
  { name: "input", title: "Input" },
  { name: "known", title: "Earlier outputs" },
  { name: "log", title: "Log and attempts" },
];
const CHOSEN = { name: "chosen" as const, title: "AI decision" };

interface Props {
  run: string;
  step: Step;
  title: string;
  canRerun: boolean;
  /** The mode of the node, if it is an MCP node. */
  mode: Mode | null;
  canFreeze: boolean;
  /** The steps whose output was known when this one started. */
  earlier: readonly Step[];
  titles: ReadonlyMap<string, string>;
  /** What the step waits for a person to decide. */
  decision: ReactNode;
  onRerun(): void;
}

/** Whether a step waits for a person: to answer, or to say whether it finished. */
export function isAsking(step: Step | undefined): boolean {
  return step?.status === "uncertain" || (step?.status === "waiting" && Boolean(step.question));
}

export function StepDetail(props: Props) {
  const { run, step, title, canRerun, mode, canFreeze, onRerun } = props;
  const [tab, setTab] = useState<TabName>("output");
  const hasChoices = step.parts.length > 0;
  const tabs = hasChoices ? [...TABS.slice(0, 2), CHOSEN, ...TABS.slice(2)] : TABS;
  return (
    <section className="step-detail" aria-label={`Step ${title}`}>
      <div className="step-detail__head">
        <h3>{title}</h3>
        <Badge tone={statusTone(step.status)}>{step.status}</Badge>
        {step.isReused && <Badge title="Taken from the earlier run, not run again">reused</Badge>}
        {step.finishedAt && !step.isReused && (
          <span className="faint">{formatDuration(durationMs(step.startedAt, step.finishedAt))}</span>
        )}
        <span className="step-detail__space" />
        <Button icon="again" disabled={!canRerun} onClick={onRerun}>
          Re-run from here
        </Button>
      </div>
      <Tabs<TabName> label="Step details" tabs={tabs} current={tab} onChange={setTab}>
        {tab === "output" &&
          (isAsking(step) ? props.decision : <Output run={run} step={step} title={title} />)}
        {tab === "input" && <Input run={run} step={step} title={title} />}
        {tab === "known" && <KnownThen run={run} earlier={props.earlier} titles={props.titles} />}
        {tab === "chosen" && <ModelChoices run={run} step={step} mode={mode} canFreeze={canFreeze} />}
        {tab === "log" && <StepLog step={step} />}
      </Tabs>
    </section>
  );
}

function Output({ run, step, title }: { run: string; step: Step; title: string }) {
  if (step.status === "waiting" && step.until)
    return <p className="faint">Waiting until {new Date(step.until).toLocaleString()}.</p>;
  if (step.status === "failed") return <FailedOutput step={step} />;
  const isNothing = step.value === undefined && !step.truncated;
  if (isNothing)
    return <p className="faint">{step.status === "running" ? "No output yet." : "No output."}</p>;
  return (
    <>
      <ToolText text={step.said} />
      <RunValue
        name={`${title} output`}
        value={step.value}
        truncated={step.truncated}
        source={{ run, step: step.key, part: "output" }}
      />
    </>
  );
}

/** The outputs of the steps that were done when the step started. */
function KnownThen({ run, earlier, titles }: Pick<Props, "run" | "earlier" | "titles">) {
  if (earlier.length === 0) return <p className="faint">No step was done before this one.</p>;
  return (
    <>
      {earlier.map((step) => (
        <div key={step.key}>
          <h4 className="step-detail__part">{stepTitle(step.key, titles)}</h4>
          <RunValue
            name={`${stepTitle(step.key, titles)} earlier output`}
            value={step.value}
            truncated={step.truncated}
            source={{ run, step: step.key, part: "output" }}
          />
        </div>
      ))}
    </>
  );
}

/** Why a step failed and what to do about it, where its output would be. */
function FailedOutput({ step }: { step: Step }) {
  const error = step.attempts.at(-1)?.error;
  return error ? <StepError {...shownFault(error)} /> : <p className="faint">No output.</p>;
}

function Input({ run, step, title }: { run: string; step: Step; title: string }) {
  const { data: stepInput, error } = useStepInput(run, step.key, step.status);
  if (error) return <p className="faint">Not available: {error.message}</p>;
  if (!stepInput) return <p className="faint">Loading…</p>;
  return (
    <>
      {stepInput.given !== undefined && (
        <>
          <h4 className="step-detail__part">Parameters</h4>
          <RunValue name={`${title} settings`} value={stepInput.given} />
        </>
      )}
      <h4 className="step-detail__part">Input</h4>
      <RunValue
        name={`${title} input`}
        value={stepInput.input}
        truncated={stepInput.cut}
        source={{ run, step: step.key, part: "input" }}
      />
    </>
  );
}
