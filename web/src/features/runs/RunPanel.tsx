/** The run below the canvas: its status, its timeline, and the selected step. */

import type { CSSProperties, ReactNode } from "react";
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Mode } from "../../model/form/modes";
import { modeOf } from "../../model/form/modes";
import { earlierSteps } from "../../model/run/earlierSteps";
import { shownStatus } from "../../model/run/shownStatus";
import { unservedQueue } from "../../model/run/queueWait";
import type { RunView } from "../../model/run/runState";
import { durationMs, formatDuration, isRunOver, nodeOfStep } from "../../model/run/runState";
import type { Workflow } from "../../model/workflow/workflow";
import { nodeById, nodeTitle } from "../../model/workflow/workflow";
import type { Rerun } from "../../queries/runs";
import { cancelRun, rerunFrom } from "../../queries/runs";
import { useDocument, useEditor, useRunState } from "../../state/editorContext";
import { notifyError } from "../../state/notices";
import { setPanels } from "../../state/panels";
import { hrefTo, navigate } from "../../state/route";
import { INITIAL_HEIGHT, maxHeight, MIN_HEIGHT, runPanelStore, setHeight } from "../../state/runPanel";
import { Badge } from "../../ui/Badge";
import { Button, IconButton } from "../../ui/Button";
import { ResizeHandle } from "../../ui/ResizeHandle";
import { RerunDialog } from "./RerunDialog";
import { RunValue } from "./RunValue";
import { UnrecordedRequest } from "./UnrecordedRequest";
import { ShortTime } from "../../ui/ShortTime";
import { statusTone } from "../../ui/statusTone";
import { isAsking, StepDetail } from "./StepDetail";
import { Timeline, stepTitle } from "./Timeline";
import { useRunAnnouncements } from "./useRunAnnouncements";
import "./runs.css";

interface Props {
  workflow: Workflow;
  /** What a step waits for a person to decide. */
  decision(run: string, step: string): ReactNode;
}

export function RunPanel({ workflow, decision }: Props) {
  const editor = useEditor();
  const run = useRunState((state) => state.run);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  const chosen = useChosenStep();
  const [isRerunOpen, setRerunOpen] = useState(false);
  const height = useStore(runPanelStore, (state) => Math.min(state.height, maxHeight()));
  const titles = useMemo(() => new Map(workflow.nodes.map((node) => [node.id, nodeTitle(node)])), [workflow]);
  useRunAnnouncements(run, titles);
  if (!run) return null;
  const step = chosen ? run.steps[chosen] : undefined;
  const queue = unservedQueue(run);
  const asking = askingStep(run);
  const choose = (key: string) => {
    editor.run.selectStep(key);
    editor.document.select([nodeOfStep(key)]);
    editor.canvas?.reveal(nodeOfStep(key));
  };
  /** The page of a run goes to the page of the new one, so that its address and a reload show it. */
  const rerun = (wanted: Rerun, failure: string) =>
    void rerunFrom(editor, wanted)
      .then((id) => isReadOnly && navigate("runs", id))
      .catch((error: unknown) => notifyError(error, failure));
  return (
    <div className="run-panel" style={{ "--run-height": `${height}px` } as CSSProperties}>
      <div className="run-panel__head">
        <h2>Run</h2>
        <Badge tone={statusTone(run.status)}>{shownStatus(run.status)}</Badge>
        <span className="faint">
          {run.finishedAt
            ? formatDuration(durationMs(run.startedAt, run.finishedAt))
            : `${run.order.length} steps so far`}
        </span>
        <RunOrigin run={run} />
        {queue && (
          <span className="run-panel__error" role="status">
            No worker serves queue {queue}. Start one: <code>toolweave worker --queues {queue}</code>
          </span>
        )}
        {run.error && <span className="run-panel__error">{String(run.error["message"] ?? "")}</span>}
        <span className="step-detail__space" />
        {asking && asking !== chosen && (
          <Button look="primary" onClick={() => choose(asking)}>
            Answer
          </Button>
        )}
        {!isRunOver(run) && (
          <Button
            icon="stop"
            onClick={() =>
              void cancelRun(run.id).catch((error: unknown) => notifyError(error, "Not cancelled"))
            }
          >
            Cancel
          </Button>
        )}
        {!isReadOnly && (
          <a className="button button--quiet" href={`#/runs/${run.id}`}>
            Open run
          </a>
        )}
        {/* The page of a run has nothing else to show. */}
        {!isReadOnly && (
          <IconButton
            label="Close the run"
            icon="close"
            onClick={() => (editor.run.clear(), setPanels({ hasRunPanel: false }))}
          />
        )}
      </div>
      <UnrecordedRequest
        key={run.id}
        run={run}
        titles={titles}
        onContinue={(node) => rerun({ run: run.id, node }, "Not continued")}
      />
      <div className="run-panel__body">
        <Timeline run={run} titles={titles} chosen={chosen} onChoose={choose} />
        {step ? (
          <StepDetail
            key={step.key}
            run={run.id}
            step={step}
            title={stepTitle(step.key, titles)}
            canRerun={isRunOver(run) && !step.key.includes("/")}
            mode={modeIn(workflow, step.node)}
            canFreeze={!isReadOnly}
            earlier={earlierSteps(run, step)}
            titles={titles}
            decision={decision(run.id, step.key)}
            onRerun={() => setRerunOpen(true)}
          />
        ) : (
          <Result run={run} />
        )}
      </div>
      {/* Last, so that the actions of the run come first for keyboard users. */}
      <ResizeHandle
        label="Height of the run panel"
        height={height}
        min={MIN_HEIGHT}
        max={maxHeight()}
        initial={INITIAL_HEIGHT}
        onResize={setHeight}
      />
      {isRerunOpen && step && (
        <RerunDialog
          run={run.id}
          step={step.key}
          title={stepTitle(step.key, titles)}
          isEdited={!isReadOnly}
          onClose={() => setRerunOpen(false)}
          onRun={(input, isRecorded) => {
            setRerunOpen(false);
            const document = isReadOnly ? undefined : workflow;
            rerun({ run: run.id, node: step.key, input, workflow: document, isRecorded }, "Not re-run");
          }}
        />
      )}
    </div>
  );
}

/** When the run started, and the run that it repeats. */
function RunOrigin({ run: { startedAt, forkOf } }: { run: RunView }) {
  return (
    <>
      {startedAt && (
        <span className="faint">
          <ShortTime at={startedAt} />
        </span>
      )}
      {forkOf && (
        <span className="faint">
          Re-run of <a href={hrefTo("runs", forkOf)}>{forkOf.slice(0, 8)}</a>
        </span>
      )}
    </>
  );
}

/** The selected step, else the last one of the selected node; if it has none, the one that failed, asks or waits. */
function useChosenStep(): string | null {
  const step = useRunState((state) => state.selectedStep);
  const run = useRunState((state) => state.run);
  const selection = useDocument((state) => state.selection);
  const node = selection.size === 1 ? [...selection][0]! : null;
  if (step && run?.steps[step] && (node === null || nodeOfStep(step) === node)) return step;
  const ofNode = node && run?.stepsOfNode[node]?.at(-1);
  return ofNode || (run ? (failedStep(run) ?? askingStep(run) ?? waitingStep(run)) : null);
}

/** The step that made a run fail: why, and what to do, is then visible without a click. */
function failedStep(run: RunView): string | null {
  if (shownStatus(run.status) !== "failed") return null;
  return run.order.findLast((key) => run.steps[key]?.status === "failed") ?? null;
}

/** The step that waits for a person: to answer, or to say whether it finished. */
function askingStep(run: RunView): string | null {
  if (run.status !== "waiting" && run.status !== "uncertain") return null;
  return run.order.findLast((key) => isAsking(run.steps[key])) ?? null;
}

/** The step that waits for a time or an event: until when is then visible without a click. */
function waitingStep(run: RunView): string | null {
  if (run.status !== "waiting") return null;
  return run.order.findLast((key) => run.steps[key]?.status === "waiting") ?? null;
}

function modeIn(workflow: Workflow, id: string): Mode | null {
  const node = nodeById(workflow, id);
  return node?.type === "mcp" ? modeOf(node.data) : null;
}

function Result({ run }: { run: RunView }) {
  return (
    <section className="step-detail">
      <h3>Result</h3>
      <div className="step-detail__scroll">
        {isRunOver(run) ? (
          <RunValue
            name="Result"
            value={run.result}
            truncated={run.resultTruncated}
            source={{ run: run.id, step: null, part: "output" }}
          />
        ) : (
          <p className="faint">Running. Select a step to see its input and output.</p>
        )}
      </div>
    </section>
  );
}
