/** The stored workflows with their state, last run and last change; found by text and state. */

import { useState } from "react";
import { countOf } from "../../model/text/formatValue";
import { usePublished } from "../../queries/publishedTools";
import type { RunSummary } from "../../queries/runs";
import { useRuns } from "../../queries/runs";
import { useTriggers } from "../../queries/triggers";
import type { WorkflowSummary } from "../../queries/workflows";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { statusTone } from "../../ui/statusTone";
import { WorkflowMenu } from "./WorkflowMenu";

/** Last runs are shown for workflows that are among this many runs. */
const RECENT_RUNS = 200;
const MIN_FOR_FILTERS = 3;

const FILTERS = ["All", "Active", "Published", "With errors"] as const;
type Filter = (typeof FILTERS)[number];

interface Row {
  workflow: WorkflowSummary;
  isActive: boolean;
  isPublished: boolean;
  lastRun: RunSummary | undefined;
  /** Whether runs older than those that were loaded may exist. */
  isLastRunUnknown: boolean;
}

export function WorkflowTable({ workflows }: { workflows: readonly WorkflowSummary[] }) {
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<Filter>("All");
  const rows = useRows(workflows).filter((row) => isMatch(row, search, filter));
  return (
    <>
      {workflows.length >= MIN_FOR_FILTERS && (
        <div className="filters">
          <input
            className="input"
            type="search"
            placeholder="Search workflows"
            aria-label="Search workflows"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <select
            className="select"
            aria-label="Show"
            value={filter}
            onChange={(event) => setFilter(event.target.value as Filter)}
          >
            {FILTERS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      )}
      <div className="card">
        <table className="table" aria-label="Workflows">
          <thead>
            <tr>
              <th>Name</th>
              <th>State</th>
              <th>Last run</th>
              <th className="table__extra">Updated</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <WorkflowRow key={row.workflow.slug} {...row} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className="workflows__none faint">No workflows match.</p>}
      </div>
    </>
  );
}

function useRows(workflows: readonly WorkflowSummary[]): Row[] {
  const { data: runs } = useRuns({ status: null, workflow: null, limit: RECENT_RUNS });
  const { data: published = [] } = usePublished();
  const { data: triggers = [] } = useTriggers();
  const active = new Set(triggers.filter(({ state }) => state === "on").map(({ workflow }) => workflow));
  const tools = new Set(published.map(({ workflow }) => workflow));
  // Newest first: the first run of a workflow is its last.
  const lastRuns = new Map([...(runs ?? [])].reverse().map((run) => [run.workflow, run]));
  return workflows.map((workflow) => ({
    workflow,
    isActive: active.has(workflow.name),
    isPublished: tools.has(workflow.name),
    lastRun: lastRuns.get(workflow.name),
    isLastRunUnknown: runs === undefined || runs.length >= RECENT_RUNS,
  }));
}

function isMatch({ workflow, isActive, isPublished }: Row, search: string, filter: Filter): boolean {
  const text = `${workflow.name} ${workflow.description ?? ""}`.toLowerCase();
  const isShown = {
    All: true,
    Active: isActive,
    Published: isPublished,
    "With errors": workflow.errors > 0,
  };
  return isShown[filter] && text.includes(search.toLowerCase());
}

function WorkflowRow({ workflow, isActive, isPublished, lastRun, isLastRunUnknown }: Row) {
  return (
    <tr>
      <td>
        <a href={hrefTo("w", workflow.name)}>
          <strong>{workflow.name}</strong>
        </a>
        <div className="faint">{workflow.description ?? countOf(workflow.nodes, "node")}</div>
      </td>
      <td>
        <div className="workflows__state">
          {workflow.errors > 0 && <Badge tone="bad">{countOf(workflow.errors, "error")}</Badge>}
          {isActive && <Badge tone="good">Active</Badge>}
          {isPublished && <Badge tone="busy">Published</Badge>}
          {workflow.errors === 0 && !isActive && !isPublished && <span className="faint">No errors</span>}
        </div>
      </td>
      <td>
        {lastRun ? (
          <a
            href={hrefTo("runs", lastRun.id)}
            aria-label={`Last run: ${lastRun.status}`}
            title={new Date(lastRun.startedAt).toLocaleString()}
          >
            <Badge tone={statusTone(lastRun.status)}>{lastRun.status}</Badge>
          </a>
        ) : (
          <span className="faint">{isLastRunUnknown ? "—" : "Never run"}</span>
        )}
      </td>
      <td className="table__extra faint">
        {workflow.updatedAt ? new Date(workflow.updatedAt).toLocaleDateString() : "—"}
      </td>
      <td className="file-row__actions">
        <WorkflowMenu name={workflow.name} revision={workflow.revision} />
      </td>
    </tr>
  );
}
