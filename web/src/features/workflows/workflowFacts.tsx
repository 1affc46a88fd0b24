/** What the list shows of a workflow, in the table and on cards. */

import { useState } from "react";
import { countOf } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import { shownStatus } from "../../model/run/shownStatus";
import type { WorkflowOverview } from "../../queries/workflows";
import { hasDraft } from "../../state/drafts";
import { hrefTo } from "../../state/route";
import { saveOpenDraft } from "../../state/workspace";
import { Badge } from "../../ui/Badge";
import { statusTone } from "../../ui/statusTone";
import { RunSparkline } from "./RunSparkline";

export function WorkflowMarks({ workflow }: { workflow: WorkflowOverview }) {
  const { name, errors, isActive, isPublished } = workflow;
  const [isUnsaved] = useState(() => (saveOpenDraft(), hasDraft(name)));
  return (
    <div className="workflows__state">
      {isUnsaved && <Badge tone="warn">unsaved</Badge>}
      {errors > 0 && <Badge tone="bad">{countOf(errors, "error")}</Badge>}
      {isActive && <Badge tone="good">Active</Badge>}
      {isPublished && <Badge tone="busy">Published</Badge>}
      {errors === 0 && !isUnsaved && !isActive && !isPublished && <span className="faint">No errors</span>}
    </div>
  );
}

export function LastRuns({ runs }: { runs: WorkflowOverview["runs"] }) {
  const [last] = runs;
  if (!last) return <span className="faint">Never run</span>;
  return (
    <div className="last-runs">
      <a
        href={hrefTo("runs", last.id)}
        aria-label={`Last run: ${shownStatus(last.status)}`}
        title={new Date(last.startedAt).toLocaleString()}
      >
        <Badge tone={statusTone(last.status)}>{shownStatus(last.status)}</Badge>
      </a>
      <RunSparkline runs={runs} />
    </div>
  );
}

/** What a workflow does, as its author wrote it, else its size. */
export function aboutOf({ description, nodes }: WorkflowOverview): string {
  return description ? safeText(description).text : countOf(nodes, "node");
}

export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul className="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag} className="badge">
          {safeText(tag).text}
        </li>
      ))}
    </ul>
  );
}
