/** Two runs side by side, compared step by step. */

import { formatDuration } from "../../model/run/runState";
import { formatValue } from "../../model/text/formatValue";
import type { DiffLine } from "../../model/text/lineDiff";
import { diffLines } from "../../model/text/lineDiff";
import { safeText } from "../../model/text/untrusted";
import type { WholeRun } from "../../queries/runs";
import { useRun, useRunTitles } from "../../queries/runs";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { statusTone } from "../../ui/statusTone";
import { stepTitle } from "./Timeline";
import "./runs.css";

export function ComparePage({ first, second }: { first: string; second: string }) {
  const [left, right] = [useRun(first), useRun(second)];
  const titles = new Map([...useRunTitles(first), ...useRunTitles(second)]);
  if (left.error || right.error) return <EmptyState title="One of the runs cannot be loaded" isPage />;
  if (!left.data || !right.data) return <EmptyState title="Loading both runs…" isPage />;
  const keys = [...new Set([...left.data.steps, ...right.data.steps].map((step) => step.key))];
  return (
    <div className="page">
      <div className="page__inner">
        <h1>Compare runs</h1>
        <div className="card">
          <table className="table compare" aria-label="Runs compared step by step">
            <thead>
              <tr>
                <th scope="col">Step</th>
                <RunHeader run={left.data} />
                <RunHeader run={right.data} />
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <StepRow
                  key={key}
                  id={key}
                  name={stepTitle(key, titles)}
                  left={left.data}
                  right={right.data}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

function RunHeader({ run }: { run: WholeRun }) {
  return (
    <th scope="col">
      <a href={`#/runs/${run.id}`}>{safeText(run.workflow || "untitled").text}</a>{" "}
      <Badge tone={statusTone(run.status)}>{run.status}</Badge>
      <div className="faint">{new Date(run.startedAt).toLocaleString()}</div>
    </th>
  );
}

interface RowProps {
  id: string;
  name: string;
  left: WholeRun;
  right: WholeRun;
}

function StepRow({ id, name, left, right }: RowProps) {
  const steps = [left, right].map((run) => run.steps.find((step) => step.key === id));
  const texts = steps.map((step) =>
    step?.error
      ? safeText(String(step.error["message"])).text
      : step
        ? formatValue(step.cut?.["value"]?.text ?? step.value, 4_000).text
        : "",
  );
  const lines = diffLines(texts[0]!, texts[1]!);
  // Truncated values are compared by the digest of the whole value.
  const [first, second] = steps.map((step) => step?.cut?.["value"]?.digest ?? JSON.stringify(step?.value));
  const isSame = first === second && steps[0]?.status === steps[1]?.status;
  return (
    <tr>
      <th scope="row">
        <strong>{safeText(name).text}</strong>
        <div>{isSame ? <span className="faint">unchanged</span> : <Badge tone="warn">different</Badge>}</div>
      </th>
      {steps.map((step, at) => (
        <td key={at} className={isSame ? "compare__same" : ""}>
          {step ? (
            <>
              <Badge tone={statusTone(step.status)}>{step.status}</Badge>{" "}
              <span className="faint">{formatDuration(step.tookMs)}</span>
              {!isSame && (
                <pre tabIndex={0} role="region" aria-label={`Output of ${name}`}>
                  <DiffText lines={lines[at]!} />
                </pre>
              )}
            </>
          ) : (
            <span className="faint">did not run</span>
          )}
        </td>
      ))}
    </tr>
  );
}

function DiffText({ lines }: { lines: readonly DiffLine[] }) {
  return lines.map(({ text, isChanged }, at) =>
    isChanged ? <mark key={at}>{`${text}\n`}</mark> : <span key={at}>{`${text}\n`}</span>,
  );
}
