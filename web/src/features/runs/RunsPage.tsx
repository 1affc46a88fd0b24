/** The history of runs, filtered by inputs, status, workflow and time; two of them can be compared. */

import type { CSSProperties } from "react";
import { memo, useCallback, useState } from "react";
import { formatDuration, durationMs } from "../../model/run/runState";
import { shownStatus } from "../../model/run/shownStatus";
import { triggerTitle } from "../../model/run/triggerTitle";
import { safeText } from "../../model/text/untrusted";
import type { RunSummary } from "../../queries/runs";
import { useRunPages } from "../../queries/runs";
import { useWorkflows } from "../../queries/workflows";
import { navigate, hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ShortTime } from "../../ui/ShortTime";
import { statusTone } from "../../ui/statusTone";
import { PERIODS, STATUSES, useRunFilters } from "./useRunFilters";
import "./runs.css";

export function RunsPage() {
  const filters = useRunFilters();
  const { chosen, choose } = filters;
  const [marked, setMarked] = useState<string[]>([]);
  const { data: runs, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRunPages(filters.filter);
  const longestMs = Math.max(1, ...(runs ?? []).map(tookMs));
  const mark = useCallback(
    (id: string) =>
      setMarked((now) => (now.includes(id) ? now.filter((other) => other !== id) : [...now.slice(-1), id])),
    [],
  );
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
              value={chosen.status}
              onChange={(event) => choose({ status: event.target.value })}
            >
              <option value="">All statuses</option>
              {Object.keys(STATUSES).map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
            <WorkflowFilter
              value={chosen.workflow}
              runs={runs ?? []}
              onChoose={(workflow) => choose({ workflow })}
            />
            <select
              className="select"
              aria-label="Started"
              value={chosen.period}
              onChange={(event) => choose({ period: event.target.value, from: "", to: "" })}
            >
              {PERIODS.map(({ title, value }) => (
                <option key={value} value={value}>
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
        {chosen.period === "custom" && (
          <div className="row runs__period">
            {(["from", "to"] as const).map((end) => (
              <label key={end} className="row">
                {end === "from" ? "From" : "To"}
                <input
                  className="input"
                  type="datetime-local"
                  value={chosen[end]}
                  onChange={(event) => choose({ [end]: event.target.value })}
                />
              </label>
            ))}
          </div>
        )}
        {error && <p role="alert">{error.message}</p>}
        {runs?.length === 0 && (
          <EmptyState icon="clock" title={filters.isAny ? "No runs match" : "No runs yet"}>
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
                  <RunRow
                    key={run.id}
                    run={run}
                    longestMs={longestMs}
                    isMarked={marked.includes(run.id)}
                    onMark={mark}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {hasNextPage && (
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  run: RunSummary;
  longestMs: number;
  isMarked: boolean;
  onMark(id: string): void;
}

/** Rendered again only if its run changed: the list may have thousands. */
const RunRow = memo(function RunRow({ run, longestMs, isMarked, onMark }: RowProps) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Select run ${run.id.slice(0, 8)} of ${run.workflow || "untitled"}`}
          checked={isMarked}
          onChange={() => onMark(run.id)}
        />
      </td>
      <td>
        <a href={hrefTo("runs", run.id)}>{safeText(run.workflow || "untitled").text}</a>{" "}
        <span className="mono faint">{run.id.slice(0, 8)}</span>
        {run.error && <div className="faint">{run.error}</div>}
      </td>
      <td>
        <Badge tone={statusTone(run.status)} hasDot>
          {shownStatus(run.status)}
        </Badge>
      </td>
      <td>
        <ShortTime at={run.startedAt} />
      </td>
      <td className="table__extra">
        <Duration run={run} longestMs={longestMs} />
      </td>
      <td className="table__extra faint">
        {run.forkOf ? `Re-run of ${run.forkOf.slice(0, 8)}` : triggerTitle(run.trigger)}
      </td>
    </tr>
  );
});

interface WorkflowFilterProps {
  value: string;
  runs: readonly RunSummary[];
  onChoose(workflow: string): void;
}

/** Stored workflows, and those that are not stored (any more) but have runs in the list. */
function WorkflowFilter({ value, runs, onChoose }: WorkflowFilterProps) {
  const { data: workflows = [] } = useWorkflows();
  const stored = workflows.map(({ name }) => name);
  const others = [value, ...runs.map(({ workflow }) => workflow)].filter((name) => name !== "");
  const names = [...new Set([...stored, ...others])];
  return (
    <select
      className="select"
      aria-label="Workflow"
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">All workflows</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {safeText(name).text}
        </option>
      ))}
    </select>
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
