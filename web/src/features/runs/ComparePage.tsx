/** Two runs side by side, compared step by step. */

import { formatDuration } from "../../model/run/runState";
import { formatValue } from "../../model/text/formatValue";
import type { WholeRun } from "../../queries/runs";
import { useRun } from "../../queries/runs";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { statusTone } from "./statusTone";
import "./runs.css";

export function ComparePage({ first, second }: { first: string; second: string }) {
  const [left, right] = [useRun(first), useRun(second)];
  if (left.error || right.error) return <EmptyState title="One of the runs cannot be read" isPage />;
  if (!left.data || !right.data) return <EmptyState title="Reading both runs…" isPage />;
  const keys = [...new Set([...left.data.steps, ...right.data.steps].map((step) => step.key))];
  return (
    <div className="page">
      <div className="page__inner">
        <h1>Two runs</h1>
        <div className="card">
          <table className="table compare" aria-label="Two runs, step by step">
            <thead>
              <tr>
                <th scope="col">Step</th>
                <RunHeader run={left.data} />
                <RunHeader run={right.data} />
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <StepRow key={key} name={key} left={left.data} right={right.data} />
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
      <a href={`#/runs/${run.id}`}>{run.workflow || "without a name"}</a>{" "}
      <Badge tone={statusTone(run.status)}>{run.status}</Badge>
      <div className="faint">{new Date(run.startedAt).toLocaleString()}</div>
    </th>
  );
}

function StepRow({ name, left, right }: { name: string; left: WholeRun; right: WholeRun }) {
  const steps = [left, right].map((run) => run.steps.find((step) => step.key === name));
  const texts = steps.map((step) =>
    step ? formatValue(step.cut?.["value"]?.text ?? step.value, 4_000).text : "",
  );
  // Truncated values are compared by the digest of the whole value.
  const [first, second] = steps.map((step) => step?.cut?.["value"]?.digest ?? JSON.stringify(step?.value));
  const isSame = first === second && steps[0]?.status === steps[1]?.status;
  return (
    <tr>
      <th scope="row">
        <strong>{name}</strong>
        <div>{isSame ? <span className="faint">the same</span> : <Badge tone="warn">differs</Badge>}</div>
      </th>
      {steps.map((step, at) => (
        <td key={at} className={isSame ? "compare__same" : ""}>
          {step ? (
            <>
              <Badge tone={statusTone(step.status)}>{step.status}</Badge>{" "}
              <span className="faint">{formatDuration(step.tookMs)}</span>
              {!isSame && (
                <pre tabIndex={0} role="region" aria-label={`What ${name} gave`}>
                  {step.error ? String(step.error["message"]) : texts[at]}
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
