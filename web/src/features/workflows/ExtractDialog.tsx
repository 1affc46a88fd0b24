/** Asks for the name of the workflow that the selected nodes become. */

import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { countOf } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { nodeName } from "../../model/workflow/workflow";
import { extractToSubworkflow } from "../../queries/extraction";
import { WORKFLOWS } from "../../queries/workflows";
import { announce } from "../../state/announcements";
import { useEditor } from "../../state/editorContext";
import { notifyWhileOpen } from "../../state/workflowNotice";
import { selectAndFocus } from "../../state/selection";
import { openSubworkflow } from "../../state/subworkflows";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";

const MAX_LISTED = 8;

export function ExtractDialog({ nodes, onClose }: { nodes: readonly WorkflowNode[]; onClose(): void }) {
  const editor = useEditor();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [fault, setFault] = useState<{ message: string; hint: string | null } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const title = name.trim();
  const extract = async (event: FormEvent) => {
    event.preventDefault();
    if (!title || isBusy) return;
    setBusy(true);
    try {
      const ids = nodes.map(({ id }) => id);
      const node = await extractToSubworkflow(editor, ids, title);
      void queries.invalidateQueries({ queryKey: WORKFLOWS });
      onClose();
      selectAndFocus(editor, node);
      announce(`Extracted ${countOf(nodes.length, "node")} to ${title}`);
      notifyWhileOpen(editor, `Extracted to ${title}`, {
        tone: "good",
        hint: "Undo restores the nodes; the new workflow stays in the list.",
        action: { title: "Open it", run: () => openSubworkflow(editor, title) },
      });
    } catch (error) {
      const hint = error instanceof ApiError ? (error.hint ?? null) : null;
      setFault({ message: (error as Error).message, hint });
      setBusy(false);
    }
  };
  const names = nodes.slice(0, MAX_LISTED).map((node) => safeText(nodeName(node)).text);
  const more = nodes.length - names.length;
  return (
    <Dialog
      title="Extract to a sub-workflow"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="extract" disabled={!title || isBusy}>
            Extract {countOf(nodes.length, "node")}
          </Button>
        </>
      }
    >
      <form id="extract" className="extract" onSubmit={(event) => void extract(event)}>
        <p>
          Moves {names.join(", ")}
          {more > 0 && ` and ${more} more`} to a new workflow. One node that runs it takes their place, and
          the result stays the same.
        </p>
        <TextField
          label="Name of the new workflow"
          autoFocus
          maxLength={200}
          value={name}
          onChange={(text) => (setName(text), setFault(null))}
        />
        {fault && (
          <p role="alert" className="field__fault">
            {fault.message}
            {fault.hint && `: ${fault.hint}`}
          </p>
        )}
      </form>
    </Dialog>
  );
}
