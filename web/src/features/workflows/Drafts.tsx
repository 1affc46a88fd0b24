/** Workflows of this browser that were never saved. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { NewDraft } from "../../state/drafts";
import { dropDraft, listNewDrafts, restoreDraft } from "../../state/drafts";
import { notify } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { currentEditor, saveOpenDraft } from "../../state/workspace";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";

export function Drafts() {
  const [drafts, setDrafts] = useState(() => {
    saveOpenDraft();
    return listNewDrafts();
  });
  const discard = ({ id, workflow }: NewDraft) => {
    const [open, owner] = [currentEditor(), { storedAs: null, draftId: id }];
    // Otherwise the open workflow would store its draft again.
    if (open?.document.draftId === id) open.document.reset({ workflow: open.document.workflow });
    dropDraft(owner);
    setDrafts(listNewDrafts());
    const undo = () => {
      restoreDraft(owner, { workflow, revision: null });
      setDrafts(listNewDrafts());
    };
    notify(`Draft ${workflow.name} discarded`, { action: { title: "Undo", run: undo } });
  };
  if (drafts.length === 0) return null;
  return (
    <section className="card" aria-label="Unsaved drafts">
      <table className="table" aria-label="Unsaved drafts">
        <thead>
          <tr>
            <th>Unsaved drafts</th>
            <th>Nodes</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {drafts.map((draft) => {
            const { id, workflow } = draft;
            const name = safeText(workflow.name).text;
            return (
              <tr key={id}>
                <td>
                  <a href={hrefTo("new", id)}>
                    <strong>{name}</strong>
                  </a>{" "}
                  <Badge tone="warn">unsaved</Badge>
                </td>
                <td>{workflow.nodes.length}</td>
                <td className="file-row__actions">
                  <Button look="quiet" aria-label={`Discard draft ${name}`} onClick={() => discard(draft)}>
                    Discard
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
