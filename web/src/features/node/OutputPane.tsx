/** The output of a node: of the step that was run alone here, else of the run on the canvas. */

import { useEffect, useMemo, useState } from "react";
import type { Problem } from "../../api/client";
import { ApiError } from "../../api/client";
import { tableOf } from "../../model/data/table";
import { readsInput, sampleOf, sourceItems, valueItem } from "../../model/data/tree";
import { problemText } from "../../model/form/problems";
import { parseJson } from "../../model/form/values";
import type { MediaPart } from "../../model/run/media";
import { mediaIn, mediaViews } from "../../model/run/media";
import type { TruncatedValue } from "../../model/run/runState";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import { shownFault } from "../../model/text/hints";
import type { Pin } from "../../model/workflow/studioData";
import { pinOf } from "../../model/workflow/studioData";
import type { Json, WorkflowNode } from "../../model/workflow/workflow";
import type { StepResult } from "../../queries/expressions";
import { completeOutput, runStep, useNames, useNodeInput } from "../../queries/expressions";
import { loadMedia } from "../../queries/runs";
import { pinLastOutput } from "../../queries/pinnedData";
import { useDocument, useEditor, useRunState, useStepOutputs } from "../../state/editorContext";
import { panelStore, setPanels } from "../../state/panels";
import { lastOutput, pinOutput, unpinOutput } from "../../state/pinnedData";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import type { DataLook } from "../../ui/DataView";
import { DataView } from "../../ui/DataView";
import { JsonField } from "../../ui/JsonField";
import { MediaParts } from "../../ui/MediaParts";
import { StepError } from "../../ui/StepError";
import { ToolText } from "../../ui/ToolText";
import { PinEditor } from "./PinnedOutput";

interface Fault {
  message: string;
  hint?: string | null | undefined;
  code: string;
}

type Shown = { kind: "result"; result: StepResult } | { kind: "fault"; fault: Fault };

export function OutputPane({ node }: { node: WorkflowNode }) {
  const isReadOnly = useDocument((state) => state.isReadOnly);
  const editor = useEditor();
  const pin = useDocument((state) => pinOf(state.history.present, node.id));
  const [shown, setShown] = useState<Shown | null>(null);
  const [isEditing, setEditing] = useState(false);
  const last = useRunState(() => lastOutput(editor, node.id)?.output);
  const isCut = useRunState(({ run }) => {
    const step = run?.steps[run.stepsOfNode[node.id]?.at(-1) ?? ""];
    return step?.status === "success" && step.truncated !== undefined;
  });
  const kept = useStepOutputs()[node.id];
  const candidate = outputOf(shown) ?? kept ?? (last === undefined ? null : lastOutput(editor, node.id));
  return (
    <>
      <div className="node-view__pane-head">
        <h3>Output</h3>
        {pin && <Badge tone="warn">pinned</Badge>}
        <span className="node-view__space" />
        {!isReadOnly && !isEditing && (
          <PinButtons
            node={node}
            pin={pin}
            candidate={candidate}
            canLoad={isCut}
            onEdit={() => setEditing(true)}
          />
        )}
      </div>
      {isEditing ? (
        <PinEditor node={node} initial={pin ?? candidate} onClose={() => setEditing(false)} />
      ) : pin ? (
        <>
          <p className="faint">
            Runs in the editor use this output and do not execute the node. Published and triggered runs
            execute it.
          </p>
          <OutputValue value={pin.output} ports={pin.ports} />
        </>
      ) : (
        <>
          {!isReadOnly && <RunStep node={node} onShown={setShown} />}
          {shown ? (
            <StepOutput node={node.id} shown={shown} />
          ) : kept ? (
            <>
              <p className="faint">Result of this step alone</p>
              <OutputValue value={kept.output} ports={kept.ports} />
            </>
          ) : (
            <LastOutput node={node} />
          )}
        </>
      )}
    </>
  );
}

interface PinButtonsProps {
  node: WorkflowNode;
  pin: Pin | undefined;
  /** The output that can be pinned. */
  candidate: Pin | null;
  /** The last output is too large to be shown, but can be pinned. */
  canLoad: boolean;
  onEdit(): void;
}

function PinButtons({ node, pin, candidate, canLoad, onEdit }: PinButtonsProps) {
  const editor = useEditor();
  if (pin) {
    return (
      <>
        <Button look="quiet" icon="pencil" onClick={onEdit}>
          Edit
        </Button>
        <Button look="quiet" icon="pin" aria-pressed onClick={() => unpinOutput(editor, node.id)}>
          Unpin
        </Button>
      </>
    );
  }
  return (
    <>
      <Button look="quiet" icon="pencil" onClick={onEdit}>
        Enter output
      </Button>
      {(candidate || canLoad) && (
        <Button
          look="quiet"
          icon="pin"
          onClick={() =>
            candidate ? pinOutput(editor, node.id, candidate) : void pinLastOutput(editor, node.id)
          }
        >
          Pin
        </Button>
      )}
    </>
  );
}

/** The result of the step that ran alone, if it is complete. */
function outputOf(shown: Shown | null): Pin | null {
  return shown?.kind === "result" ? completeOutput(shown.result) : null;
}

/** Runs the node alone; its input is that of the last run, or one that is typed here. */
function RunStep({ node, onShown }: { node: WorkflowNode; onShown(shown: Shown): void }) {
  const editor = useEditor();
  const { data: known, isPending } = useNodeInput(node.id);
  const { data: names } = useNames(node.id);
  const [isRunning, setRunning] = useState(false);
  const [typed, setText] = useState(editor.stepInputs.get(node.id) ?? null);
  const setTyped = (text: string | null) => {
    if (text === null) editor.stepInputs.delete(node.id);
    else editor.stepInputs.set(node.id, text);
    setText(text);
  };
  const [wasEntered] = useState(typed !== null);
  const { value, fault } = typed === null ? {} : parseJson(typed);
  const source = known?.sources.find(({ path }) => path === "data");
  const isMissing = source?.hasValue === false && readsInput(node.data);
  const edit = () => {
    const [item] = source ? sourceItems([source], names?.offers ?? []) : [];
    const value = source?.hasValue ? source.value : item ? sampleOf(item) : {};
    setTyped(JSON.stringify(value, null, 2));
  };
  const run = async () => {
    if (isMissing && typed === null) return edit();
    setRunning(true);
    try {
      const input = typed === null ? undefined : { value: value ?? null };
      onShown({ kind: "result", result: await runStep(editor, node.id, { input }) });
    } catch (error) {
      onShown({ kind: "fault", fault: faultOf(error) });
    } finally {
      setRunning(false);
    }
  };
  useEffect(() => {
    // Whether the step has an input decides whether it can run.
    if (isPending || !panelStore.getState().runsOpenNode) return;
    setPanels({ runsOpenNode: false });
    void run();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only for the command that opened the node
  }, [isPending]);
  return (
    <>
      <div className="row">
        <Button
          look="primary"
          icon="play"
          disabled={isRunning || fault !== undefined}
          onClick={() => void run()}
        >
          {isRunning ? "Running…" : "Run step"}
        </Button>
        {typed === null ? (
          <Button look="quiet" onClick={edit}>
            {isMissing ? "Enter its input" : "Edit its input"}
          </Button>
        ) : isMissing ? (
          <Button look="quiet" onClick={() => setTyped(null)}>
            Cancel
          </Button>
        ) : (
          <Button look="quiet" onClick={() => setTyped(null)}>
            Use the last input
          </Button>
        )}
      </div>
      {typed !== null && (
        <JsonField
          label="Input of this step, as JSON"
          note={isMissing && "The step reads its input, and there is none yet. Enter one, then run the step."}
          value={typed}
          fault={fault ?? null}
          isFocused={!wasEntered}
          onChange={setTyped}
        />
      )}
    </>
  );
}

function faultOf(error: unknown): Fault {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint, code: error.code };
  return { message: String(error), code: "" };
}

/** What the step returned when it ran alone, or why it did not. */
function StepOutput({ node, shown }: { node: string; shown: Shown }) {
  if (shown.kind === "fault") return <StepError {...shownFault(shown.fault)} />;
  const { result } = shown;
  const errors = result.problems.filter(({ severity }) => severity === "error");
  if (!result.executed && errors.length > 0)
    return errors.map((error) => (
      <StepError key={error.pointer} {...shownFault({ ...error, message: problemText(error as Problem) })} />
    ));
  if (result.error)
    return (
      <StepError
        {...shownFault({
          message: String(result.error["message"] ?? "The step failed."),
          hint: result.error["hint"] as string | null,
          code: String(result.error["code"] ?? ""),
        })}
      />
    );
  if (result.status && result.status !== "success")
    return <p className="node-view__none">The step is {result.status}.</p>;
  return (
    <>
      <p className="row faint" role="status">
        Result of this step alone
        {result.isCut && <span>Large values are cut.</span>}
      </p>
      <OutputMedia run={result.run} step={node} parts={mediaIn(result.output)} />
      <OutputValue value={result.output as Json} ports={result.ports} />
    </>
  );
}

/** The output in the run on the canvas. */
function LastOutput({ node }: { node: WorkflowNode }) {
  const step = useRunState((state) => {
    const key = state.run?.stepsOfNode[node.id]?.at(-1);
    return key ? state.run!.steps[key] : undefined;
  });
  const run = useRunState((state) => state.run?.id ?? null);
  const error = step?.status === "failed" ? step.attempts.at(-1)?.error : undefined;
  if (error) return <StepError {...shownFault(error)} />;
  if (step?.truncated) return <LargeOutput run={run} step={step.key} {...step.truncated} />;
  if (step?.value === undefined) return <p className="node-view__none">No output yet.</p>;
  return (
    <>
      <p className="faint">From the run on the canvas</p>
      <ToolText text={step.said} />
      <OutputMedia run={run} step={step.key} parts={mediaIn(step.value)} />
      <OutputValue value={step.value} ports={step.ports} />
    </>
  );
}

/** The beginning of an output that is too large to be sent, and its media. */
function LargeOutput({
  run,
  step,
  text,
  chars,
  media,
}: { run: string | null; step: string } & TruncatedValue) {
  return (
    <>
      <p className="faint">From the run on the canvas</p>
      <OutputMedia run={run} step={step} parts={media} />
      {text && (
        <pre className="value" tabIndex={0} role="region" aria-label="Output">
          {formatValue(text).text}
        </pre>
      )}
      <p className="faint">
        A part of {chars.toLocaleString("en")} characters is shown. The run panel downloads everything.
      </p>
    </>
  );
}

interface MediaProps {
  run: string | null;
  step: string;
  parts: readonly MediaPart[];
}

function OutputMedia({ run, step, parts }: MediaProps) {
  if (run === null) return null;
  return <MediaParts name="the output" parts={mediaViews(parts)} load={(at) => loadMedia(run, step, at)} />;
}

const OPEN: ReadonlySet<string> = new Set(["output"]);

function OutputValue({ value, ports = [] }: { value: Json; ports?: readonly string[] | undefined }) {
  const text = toolResultText(value) ?? (typeof value === "string" ? value : null);
  const [look, setLook] = useState<DataLook>(text === null ? "tree" : "text");
  const items = useMemo(() => [valueItem("output", "Output", value)], [value]);
  const named = ports.filter((port) => port !== "output");
  return (
    <>
      {named.length > 0 && (
        <p className="row faint">
          Continues at
          {named.map((port) => (
            <Badge key={port}>{port}</Badge>
          ))}
        </p>
      )}
      <DataView
        label="Output"
        look={text === null && look === "text" ? "tree" : look}
        onLook={setLook}
        {...(text === null ? {} : { text: () => formatValue(text) })}
        items={items}
        open={OPEN}
        table={() => tableOf(value)}
        json={() => formatValue(value)}
      />
    </>
  );
}
