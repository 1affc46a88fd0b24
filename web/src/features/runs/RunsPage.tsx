/** The history of runs, filtered by inputs, status, workflow and time; two of them can be compared. */

import type { CSSProperties } from "react";
import { useState } from "react";
import type { RunStatus } from "../../model/run/runState";
import { formatDuration, durationMs } from "../../model/run/runState";
import { triggerTitle } from "../../model/run/triggerTitle";
import { safeText } from "../../model/text/untrusted";
import type { RunSummary } from "../../queries/runs";
import { useRuns } from "../../queries/runs";
import { useWorkflows } from "../../queries/workflows";
import { navigate, hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { statusTone } from "../../ui/statusTone";
import { PERIODS, useRunFilters } from "./useRunFilters";
import "./runs.css";

const STATUSES: RunStatus[] = [
  "running",
  "waiting",
  "uncertain",
  "success",
  "partial",
  "failed",
  "cancelled",
];

export function RunsPage() {
  const filters = useRunFilters();
  const { status, setStatus, workflow, setWorkflow, text, since } = filters;
  const [limit, setLimit] = useState(50);
  const [marked, setMarked] = useState<string[]>([]);
  const { data: runs, error } = useRuns({ status, workflow, limit, text, since });
  const { data: workflows } = useWorkflows();
  const longestMs = Math.max(1, ...(runs ?? []).map(tookMs));
  const mark = (id: string) =>
    setMarked(marked.includes(id) ? marked.filter((other) => other !== id) : [...marked.slice(-1), id]);
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Runs</h1>
          <div className="filters">
            <input
              className="input"
              type="search"
              placeholder="Search inputs"
              aria-label="Search inputs"
              value={filters.typed}
              onChange={(event) => filters.setTyped(event.target.value)}
            />
            <select
              className="select"
              aria-label="Status"
              value={status ?? ""}
              onChange={(event) => setStatus((event.target.value || null) as RunStatus | null)}
            >
              <option value="">All statuses</option>
              {STATUSES.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
            <select
              className="select"
              aria-label="Workflow"
              value={workflow ?? ""}
              onChange={(event) => setWorkflow(event.target.value || null)}
            >
              <option value="">All workflows</option>
              {workflows?.map((workflow) => (
                <option key={workflow.slug} value={workflow.name}>
                  {safeText(workflow.name).text}
                </option>
              ))}
            </select>
            <select
              className="select"
              aria-label="Started"
              value={filters.hours}
              onChange={(event) => filters.setPeriod(Number(event.target.value))}
            >
              {PERIODS.map(({ title, hours }) => (
                <option key={hours} value={hours}>
                  {title}
                </option>
              ))}
            </select>
            <Button
              icon="compare"
              disabled={marked.length !== 2}
              onClick={() => navigate("compare", ...marked)}
              title="Select two runs to compare"
            >
              Compare
            </Button>
          </div>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {runs?.length === 0 && (
          <EmptyState title={filters.isAny ? "No runs match" : "No runs yet"}>
            <p>{filters.isAny ? "Other filters may find more." : "Open a workflow and run it."}</p>
            {filters.isAny ? (
              <Button look="primary" onClick={filters.clear}>
                Clear filters
              </Button>
            ) : (
              <a className="button button--primary" href={hrefTo("")}>
                Open workflows
              </a>
            )}
          </EmptyState>
        )}
        {runs && runs.length > 0 && (
          <div className="card">
            <table className="table table--dense" aria-label="Runs">
              <thead>
                <tr>
                  <th>
                    <span className="visually-hidden">Select</span>
                  </th>
                  <th>Workflow</th>
                  <th>Status</th>
                  <th>Started</th>
                  <th className="table__extra">Duration</th>
                  <th className="table__extra">Trigger</th>
                </tr>
              </thead>
              <tbody>
                {runs.map((run) => (
                  <tr key={run.id}>
                    <td>
                      <input
                        type="checkbox"
                        aria-label={`Select run ${run.id.slice(0, 8)} of ${run.workflow || "untitled"}`}
                        checked={marked.includes(run.id)}
                        onChange={() => mark(run.id)}
                      />
                    </td>
                    <td>
                      <a href={hrefTo("runs", run.id)}>{safeText(run.workflow || "untitled").text}</a>{" "}
                      <span className="mono faint">{run.id.slice(0, 8)}</span>
                      {run.error && <div className="faint">{run.error}</div>}
                    </td>
                    <td>
                      <Badge tone={statusTone(run.status)} hasDot>
                        {run.status}
                      </Badge>
                    </td>
                    <td>{new Date(run.startedAt).toLocaleString()}</td>
                    <td className="table__extra">
                      <Duration run={run} longestMs={longestMs} />
                    </td>
                    <td className="table__extra faint">
                      {run.forkOf ? `Re-run of ${run.forkOf.slice(0, 8)}` : triggerTitle(run.trigger)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {runs && runs.length >= limit && <Button onClick={() => setLimit(limit * 2)}>Load more</Button>}
      </div>
    </div>
  );
}

function tookMs({ startedAt, finishedAt }: RunSummary): number {
  return finishedAt ? durationMs(startedAt, finishedAt) : 0;
}

/** How long a run took, with a bar that compares it with the others in the list. */
function Duration({ run, longestMs }: { run: RunSummary; longestMs: number }) {
  if (!run.finishedAt) return "—";
  const share = Math.sqrt(tookMs(run) / longestMs);
  return (
    <span className="run-duration" style={{ "--share": share } as CSSProperties}>
      {formatDuration(tookMs(run))}
    </span>
  );
}
