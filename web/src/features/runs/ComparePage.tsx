/** Two runs side by side, compared step by step. */

import { useState } from "react";
import { formatDuration } from "../../model/run/runState";
import { isSameStep, stepText } from "../../model/run/stepComparison";
import { countOf } from "../../model/text/formatValue";
import type { DiffLine } from "../../model/text/lineDiff";
import { diffLines } from "../../model/text/lineDiff";
import { safeText } from "../../model/text/untrusted";
import { shownStatus } from "../../model/run/shownStatus";
import type { WholeRun } from "../../queries/runs";
import { useRun, useRunTitles } from "../../queries/runs";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { ShortTime } from "../../ui/ShortTime";
import { statusTone } from "../../ui/statusTone";
import { stepTitle } from "./Timeline";
import "./runs.css";

export function ComparePage({ first, second }: { first: string; second: string }) {
  const [left, right] = [useRun(first), useRun(second)];
  const titles = new Map([...useRunTitles(first), ...useRunTitles(second)]);
  const [isDifferentOnly, setDifferentOnly] = useState(false);
  if (left.error || right.error) return <EmptyState title="One of the runs cannot be loaded" isPage />;
  if (!left.data || !right.data) return <EmptyState title="Loading both runs…" isPage />;
  const steps = [left.data, right.data].map((run) => new Map(run.steps.map((step) => [step.key, step])));
  const keys = [...new Set(steps.flatMap((byKey) => [...byKey.keys()]))];
  const different = keys.filter((key) => !isSameStep(steps[0]!.get(key), steps[1]!.get(key)));
  const shown = isDifferentOnly ? different : keys;
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Compare runs</h1>
          <div className="filters">
            <span className="faint" role="status">
              {different.length === 0
                ? "No differences"
                : `${different.length} of ${countOf(keys.length, "step")} different`}
            </span>
            <label className="row">
              <input
                type="checkbox"
                checked={isDifferentOnly}
                onChange={(event) => setDifferentOnly(event.target.checked)}
              />
              Only differences
            </label>
          </div>
        </div>
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
              {shown.map((key) => (
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
      <Badge tone={statusTone(run.status)}>{shownStatus(run.status)}</Badge>
      <div className="faint">
        <span className="mono">{run.id.slice(0, 8)}</span> · <ShortTime at={run.startedAt} />
      </div>
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
  const isSame = isSameStep(steps[0], steps[1]);
  const lines = diffLines(stepText(steps[0]), stepText(steps[1]));
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
                <pre
                  tabIndex={0}
                  role="region"
                  aria-label={`Output of ${name}, ${at === 0 ? "first" : "second"} run`}
                >
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
