/** What one version changed, in words; choosing a node shows it on the canvas. */

import { diffContents } from "../../model/workflow/diff";
import type { Workflow } from "../../model/workflow/workflow";
import { Badge } from "../../ui/Badge";
import "./versions.css";

const TONES = { added: "good", removed: "bad", changed: "warn" } as const;

interface Props {
  after: Workflow;
  before: Workflow;
  /** Shows the nodes of a change on the canvas. */
  onChoose(nodes: string[]): void;
}

export function ChangeList({ after, before, onChoose }: Props) {
  const changes = diffContents(after, before);
  if (changes.length === 0) return <p className="faint">Nothing but the layout differs.</p>;
  return (
    <ul className="version-changes" aria-label="Changes">
      {changes.map((change, index) => (
        <li key={index}>
          <Badge tone={TONES[change.kind]}>{change.kind}</Badge>{" "}
          {change.nodes.length === 0 ? (
            change.what
          ) : (
            <button
              type="button"
              className="version-changes__what"
              title="Show on the canvas"
              onClick={() => onChoose(change.nodes)}
            >
              {change.what}
            </button>
          )}
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
