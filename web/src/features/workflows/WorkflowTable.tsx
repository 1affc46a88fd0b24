/** The stored workflows, one row each. */

import { safeText } from "../../model/text/untrusted";
import type { WorkflowOverview } from "../../queries/workflows";
import { hrefTo } from "../../state/route";
import { FavoriteButton } from "./FavoriteButton";
import { aboutOf, LastRuns, Tags, WorkflowMarks } from "./workflowFacts";
import { WorkflowMenu } from "./WorkflowMenu";

export function WorkflowTable({ workflows }: { workflows: readonly WorkflowOverview[] }) {
  return (
    <div className="card">
      <table className="table" aria-label="Workflows">
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Favorite</span>
            </th>
            <th>Name</th>
            <th>State</th>
            <th>Last runs</th>
            <th className="table__extra">Updated</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow) => (
            <WorkflowRow key={workflow.slug} workflow={workflow} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkflowRow({ workflow }: { workflow: WorkflowOverview }) {
  return (
    <tr>
      <td className="workflows__star">
        <FavoriteButton name={workflow.name} />
      </td>
      <td>
        <a href={hrefTo("w", workflow.name)}>
          <strong>{safeText(workflow.name).text}</strong>
        </a>
        <Tags tags={workflow.tags} />
        <div className="faint">{aboutOf(workflow)}</div>
      </td>
      <td className="workflows__fact">
        <WorkflowMarks workflow={workflow} />
      </td>
      <td className="workflows__fact">
        <LastRuns runs={workflow.runs} />
      </td>
      <td className="table__extra faint">
        {workflow.updatedAt ? new Date(workflow.updatedAt).toLocaleDateString() : "—"}
      </td>
      <td className="file-row__actions">
        <WorkflowMenu workflow={workflow} />
      </td>
    </tr>
  );
}
