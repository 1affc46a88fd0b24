/** What a tool returned: images, text, a tree, a table or JSON; or why it did not. */

import { useMemo, useState } from "react";
import { ApiError } from "../../api/client";
import { tableOf } from "../../model/data/table";
import { valueItem } from "../../model/data/tree";
import { mediaIn, mediaViews } from "../../model/run/media";
import { formatValue, toolResultText } from "../../model/text/formatValue";
import { shownFault } from "../../model/text/hints";
import { toolPayload } from "../../model/data/toolPayload";
import type { Json } from "../../model/workflow/workflow";
import type { StepResult } from "../../queries/expressions";
import { loadMedia } from "../../queries/runs";
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
}

export function ToolResult({ name, node, outcome, isRunning }: Props) {
  // The view that was chosen, which stays for the next call.
  const [look, setLook] = useState<DataLook | null>(null);
  if (isRunning) return <p className="faint">Running {name}…</p>;
  if (!outcome)
    return (
      <EmptyState title="No result yet">
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
  if (result.status && result.status !== "success")
    return (
      <p>
        The call is {result.status}. <a href={hrefTo("runs", result.run ?? "")}>Open its run</a>
      </p>
    );
  return <Value name={name} node={node} result={result} look={look} onLook={setLook} />;
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
      {result.isCut && <p className="faint">Large values are cut.</p>}
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
