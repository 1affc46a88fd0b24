/** What one version changed, in words; choosing a node shows it on the canvas. */

import type { Difference } from "../../model/workflow/diff";
import { diffWorkflows } from "../../model/workflow/diff";
import type { Workflow } from "../../model/workflow/workflow";
import { Badge } from "../../ui/Badge";
import "./versions.css";

const TONES = { added: "good", removed: "bad", changed: "warn" } as const;
/** Where a node is on the canvas is not shown as a change. */
const LAYOUT_FIELDS = /^(position|style|parentId)(\.|$)/;

interface Props {
  after: Workflow;
  before: Workflow;
}

export function ChangeList({ after, before }: Props) {
  const changes = changesOf(after, before);
  if (changes.length === 0) return <p className="faint">Nothing but the layout differs.</p>;
  return (
    <ul className="version-changes" aria-label="Changes">
      {changes.map((change) => (
        <li key={`${change.kind} ${change.what}`}>
          <Badge tone={TONES[change.kind]}>{change.kind}</Badge> {change.what}
          {change.details.map(({ field, mine, theirs }) => (
            <div key={field} className="version-changes__detail">
              <code>{field}</code>
              <del>{theirs}</del>
              <ins>{mine}</ins>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function changesOf(after: Workflow, before: Workflow): Difference[] {
  return diffWorkflows(after, before).flatMap((change) => {
    const details = change.details.filter(({ field }) => !LAYOUT_FIELDS.test(field));
    return change.kind === "changed" && details.length === 0 ? [] : [{ ...change, details }];
  });
}
