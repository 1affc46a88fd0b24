/** A published workflow: its inputs, the run, what the run asks, and its result. */

import { useState } from "react";
import { isOver, runSentence } from "../model/run/appRun";
import { safeText } from "../model/text/untrusted";
import type { JsonObject } from "../model/workflow/workflow";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { statusTone } from "../ui/statusTone";
import { Untrusted } from "../ui/Untrusted";
import type { HostBridge } from "./hostBridge";
import { InputForm } from "./InputForm";
import { RunQuestion } from "./RunQuestion";
import { RunResult } from "./RunResult";
import { RunTimeline } from "./RunTimeline";
import { UncertainStep } from "./UncertainStep";
import { useDocumentHeight } from "./useDocumentHeight";
import { useRun } from "./useRun";

export function RunApp({ tool, bridge }: { tool: string; bridge: HostBridge }) {
  const state = useRun(tool, bridge);
  const { form, run, given } = state;
  const [isOpen, setOpen] = useState<boolean | null>(null);
  useDocumentHeight(bridge, state.isConnected);
  const isShown = isOpen ?? (run === null && !state.isCalling);
  const isRunning = !isOver(run) || state.isCalling;
  const start = (inputs: JsonObject) => {
    setOpen(false);
    void state.start(inputs).then((isStarted) => isStarted || setOpen(true));
  };
  return (
    <main className="run-app">
      <header className="run-app__head">
        <h1>{safeText(form?.title ?? tool).text}</h1>
        {run && <Badge tone={statusTone(run.status)}>{run.status}</Badge>}
        {run && isRunning && (
          <Button icon="stop" disabled={state.isBusy} onClick={() => void state.cancel()}>
            Cancel run
          </Button>
        )}
      </header>
      {form?.description && (
        <p className="run-app__about">
          <Untrusted {...safeText(form.description)} />
        </p>
      )}
      <p role="status" className="visually-hidden">
        {run ? runSentence(run) : state.isCalling ? "The tool is being called" : ""}
      </p>
      {state.fault && (
        <p role="alert" className="run-app__fault">
          {safeText(state.fault).text}
        </p>
      )}
      {form && (
        <details className="run-app__inputs" open={isShown}>
          <summary
            onClick={(event) => {
              event.preventDefault();
              setOpen(!isShown);
            }}
          >
            Inputs
          </summary>
          <InputForm
            // What the call of the model gave replaces what was typed.
            key={JSON.stringify(given)}
            form={form}
            given={given}
            faults={state.faults}
            isDisabled={isRunning || state.isBusy}
            isAgain={run !== null}
            onRun={start}
          />
        </details>
      )}
      {run?.notice && <p className="run-app__notice">{safeText(run.notice).text}</p>}
      {run?.asks.map((question) => (
        <RunQuestion
          key={`${question.step} ${question.text}`}
          question={question}
          isDisabled={state.isBusy}
          onAnswer={(reply) => state.answer({ step: question.step, reply })}
        />
      ))}
      {run?.uncertain.map(({ step, title }) => (
        <UncertainStep
          key={step}
          title={title}
          isDisabled={state.isBusy}
          onChoose={(choice) => void state.answer({ step, choice })}
        />
      ))}
      {run && <RunResult key={run.run_id} run={run} />}
      {run && <RunTimeline run={run} isDisabled={state.isBusy} onRerun={(node) => void state.rerun(node)} />}
      {!run && state.isCalling && <p className="faint">Starting…</p>}
    </main>
  );
}
