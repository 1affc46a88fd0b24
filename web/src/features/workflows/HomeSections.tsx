/** Below the list of workflows: templates to start from, and the latest runs. */

import { durationMs, formatDuration } from "../../model/run/runState";
import { bestTemplates } from "../../model/workflow/templateNeeds";
import { shownStatus } from "../../model/run/shownStatus";
import { useRecentRuns } from "../../queries/runs";
import { useAvailable, useTemplates } from "../../queries/templates";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { ShortTime } from "../../ui/ShortTime";
import { statusTone } from "../../ui/statusTone";
import { TemplateCard } from "./TemplateCard";

const MAX_TEMPLATES = 3;
const MAX_RUNS = 5;

export function SuggestedTemplates() {
  const { data: templates } = useTemplates();
  const available = useAvailable();
  if (!templates) return null;
  const first = bestTemplates(templates, available).slice(0, MAX_TEMPLATES);
  return (
    <section aria-label="Templates">
      <div className="section-head">
        <h2>Start from a template</h2>
        <a href={hrefTo("templates")}>All {templates.length} templates</a>
      </div>
      <ul className="templates" aria-label="Suggested templates">
        {first.map((template) => (
          <TemplateCard key={template.name} template={template} available={available} />
        ))}
      </ul>
    </section>
  );
}

export function RecentRuns() {
  const { data: runs } = useRecentRuns(MAX_RUNS);
  if (!runs?.length) return null;
  return (
    <section aria-label="Recent runs">
      <div className="section-head">
        <h2>Recent runs</h2>
        <a href={hrefTo("runs")}>All runs</a>
      </div>
      <div className="card">
        <table className="table recent-runs" aria-label="Recent runs">
          <tbody>
            {runs.map((run) => (
              <tr key={run.id}>
                <td>
                  <a href={hrefTo("runs", run.id)}>{run.workflow || "untitled"}</a>
                </td>
                <td>
                  <Badge tone={statusTone(run.status)}>{shownStatus(run.status)}</Badge>
                </td>
                <td className="faint">
                  {run.finishedAt ? formatDuration(durationMs(run.startedAt, run.finishedAt)) : "—"}
                </td>
                <td className="faint">
                  <ShortTime at={run.startedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
