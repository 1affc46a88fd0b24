/** The stored workflows, one card each. */

import { safeText } from "../../model/text/untrusted";
import type { WorkflowOverview } from "../../queries/workflows";
import { hrefTo } from "../../state/route";
import { FavoriteButton } from "./FavoriteButton";
import { aboutOf, LastRuns, Tags, WorkflowMarks } from "./workflowFacts";
import { WorkflowMenu } from "./WorkflowMenu";

export function WorkflowCards({ workflows }: { workflows: readonly WorkflowOverview[] }) {
  return (
    <ul className="workflow-cards" aria-label="Workflows">
      {workflows.map((workflow) => (
        <li key={workflow.slug} className="card workflow-card">
          <div className="workflow-card__head">
            <FavoriteButton name={workflow.name} />
            <h2>
              <a href={hrefTo("w", workflow.name)}>{safeText(workflow.name).text}</a>
            </h2>
            <WorkflowMenu workflow={workflow} />
          </div>
          <p className="workflow-card__text faint">{aboutOf(workflow)}</p>
          <Tags tags={workflow.tags} />
          <div className="workflow-card__foot">
            <WorkflowMarks workflow={workflow} />
            <LastRuns runs={workflow.runs} />
          </div>
        </li>
      ))}
    </ul>
  );
}
