/** What a tool returned: images, text, a tree, a table or JSON; or why it did not. */

import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { ApiError } from "../../api/client";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import { mediaIn, mediaViews } from "../../model/run/media";
import { FINAL_STATUSES } from "../../model/run/runState";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import { shownFault } from "../../model/text/hints";
import { toolPayload } from "../../model/data/toolPayload";
import type { Json } from "../../model/workflow/workflow";
import type { StepResult } from "../../queries/expressions";
import { loadMedia, useRun } from "../../queries/runs";
import { hrefTo } from "../../state/route";
import type { DataLook } from "../../ui/DataView";
import { DataView } from "../../ui/DataView";
import { EmptyState } from "../../ui/EmptyState";
import { MediaParts } from "../../ui/MediaParts";
import { StepError } from "../../ui/StepError";

export type Outcome =
  | { kind: "result"; result: StepResult }
  | { kind: "fault"; message: string; hint: string | null | undefined; code: string };

export function faultOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) return { kind: "fault", message: String(error), hint: null, code: "" };
  return { kind: "fault", message: error.message, hint: error.hint, code: error.code };
}

interface Props {
  name: string;
  node: string;
  outcome: Outcome | null;
  isRunning: boolean;
  /** What the call waits for a person to decide. */
  decision(run: string, step: string): ReactNode;
}

export function ToolResult({ name, node, outcome, isRunning, decision }: Props) {
  // The view that was chosen, which stays for the next call.
  const [look, setLook] = useState<DataLook | null>(null);
  if (isRunning) return <p className="faint">Running {name}…</p>;
  if (!outcome)
    return (
      <EmptyState icon="play" title="No result yet">
        <p>Enter the arguments and run the tool.</p>
      </EmptyState>
    );
  if (outcome.kind === "fault") return <StepError {...shownFault(outcome)} />;
  const { result } = outcome;
  const errors = result.problems.filter(({ severity }) => severity === "error");
  if (!result.executed) {
    const count = errors.length === 1 ? "1 argument is" : `${errors.length} arguments are`;
    return (
      <StepError
        {...shownFault({ message: `${count} missing or wrong; see the form.`, code: errors[0]?.code ?? "" })}
      />
    );
  }
  if (result.error) {
    const { message, hint, code } = result.error as Record<string, string | null>;
    return <StepError {...shownFault({ message: message ?? "The call failed.", hint, code: code ?? "" })} />;
  }
  const show = (shown: StepResult) => (
    <Value name={name} node={node} result={shown} look={look} onLook={setLook} />
  );
  if (!result.run || !result.status || result.status === "success") return show(result);
  return <OpenCall result={result} run={result.run} node={node} decision={decision} show={show} />;
}

interface OpenCallProps extends Pick<Props, "node" | "decision"> {
  result: StepResult;
  run: string;
  show(result: StepResult): ReactNode;
}

/** A call that waits for a person or a time: the decision, and the result once the run is over. */
function OpenCall({ result, run, node, decision, show }: OpenCallProps) {
  const { data } = useRun(run);
  const step = data?.steps.find(({ key }) => key === node);
  if (data && step && FINAL_STATUSES.has(data.status)) {
    if (step.error) {
      const { message, hint, code } = step.error as Record<string, string | null>;
      return (
        <StepError {...shownFault({ message: message ?? "The call failed.", hint, code: code ?? "" })} />
      );
    }
    const cut = step.cut?.["value"];
    return show({ ...result, output: (cut?.text ?? step.value) as never, isCut: cut !== undefined });
  }
  return (
    <>
      {decision(run, node)}
      <p className="faint">
        The call is {data?.status ?? result.status}. <a href={hrefTo("runs", run)}>Open its run</a>
      </p>
    </>
  );
}

const OPEN: ReadonlySet<string> = new Set(["output", "output.rows"]);

interface ValueProps {
  name: string;
  node: string;
  result: StepResult;
  look: DataLook | null;
  onLook(look: DataLook): void;
}

function Value({ name, node, result, look, onLook }: ValueProps) {
  const output = result.output as Json;
  const payload = useMemo(() => toolPayload(output), [output]);
  const text = toolResultText(output);
  const items = useMemo(() => [valueItem("output", "Result", payload)], [payload]);
  return (
    <>
      {result.isCut && (
        <p className="faint">
          A part of this large result is shown.{" "}
          {result.run && <a href={hrefTo("runs", result.run)}>Open the run to see or download all of it</a>}
        </p>
      )}
      {result.run && (
        <MediaParts
          name={name}
          parts={mediaViews(mediaIn(output))}
          load={(at) => loadMedia(result.run!, node, at)}
        />
      )}
      <DataView
        label="Result"
        look={text === null && (look ?? "text") === "text" ? "tree" : (look ?? "text")}
        onLook={onLook}
        {...(text === null ? {} : { text: () => formatValue(text) })}
        items={items}
        open={OPEN}
        table={() => tableOf(payload)}
        json={() => formatValue(output)}
      />
    </>
  );
}
