/** The workflow was saved elsewhere: keep mine or take theirs, and show the difference. */

import { useState } from "react";
import { useStore } from "zustand";
import { diffWorkflows } from "../../model/workflow/diff";
import { save } from "../../queries/save";
import { useEditor } from "../../state/editorContext";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import "./workflows.css";

const CHANGED_ELSEWHERE =
  "Another tab, program or person saved it after you opened it. " +
  "Nothing is overwritten until you decide; using theirs can be undone.";

const TONES = { added: "good", removed: "bad", changed: "warn" } as const;

export function ConflictDialog() {
  const editor = useEditor();
  const conflict = useStore(editor.conflict, (state) => state.conflict);
  const [isShown, setShown] = useState(false);
  if (!conflict) return null;
  const { name, mine, theirs, current } = conflict;
  const close = () => editor.setConflict(null);
  const takeTheirs = () => {
    if (!theirs || !current) return;
    editor.document.replace(theirs);
    editor.document.markSaved(theirs, theirs.name, current);
    close();
  };
  const foot = (
    <>
      {theirs && (
        <Button look="quiet" onClick={() => setShown(!isShown)}>
          {isShown ? "Hide the difference" : "Show the difference"}
        </Button>
      )}
      {theirs && <Button onClick={takeTheirs}>Use theirs</Button>}
      <Button look="primary" onClick={() => (close(), void save(editor, { over: current }))}>
        Keep mine
      </Button>
    </>
  );
  return (
    <Dialog title={`${name} was changed elsewhere`} onClose={close} foot={foot} wide={isShown}>
      <p>{theirs ? CHANGED_ELSEWHERE : "It was deleted after you opened it. Keep mine saves it again."}</p>
      {isShown && theirs && (
        <ul className="difference">
          {diffWorkflows(mine, theirs).map((difference) => (
            <li key={difference.what}>
              <Badge tone={TONES[difference.kind]}>{difference.kind} by you</Badge> {difference.what}
              {difference.details.map((detail) => (
                <div key={detail.field} className="difference__detail">
                  <code>{detail.field}</code>
                  <span className="difference__mine">yours: {detail.mine}</span>
                  <span className="difference__theirs">theirs: {detail.theirs}</span>
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
