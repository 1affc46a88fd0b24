/** The tags of a stored workflow, edited as one line of text. */

import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useId, useState } from "react";
import type { WorkflowOverview } from "../../queries/workflows";
import { saveTags, WORKFLOWS } from "../../queries/workflows";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";

export function TagsDialog({ workflow, onClose }: { workflow: WorkflowOverview; onClose(): void }) {
  const [text, setText] = useState(workflow.tags.join(", "));
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const form = useId();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await saveTags(workflow.name, text.split(","));
      await queries.invalidateQueries({ queryKey: WORKFLOWS });
      onClose();
    } catch (error) {
      setFault((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Tags of ${workflow.name}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={isBusy}>
            Save tags
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void save(event)}>
        <TextField
          label="Tags"
          note="Separate tags with commas, for example: mail, reports"
          fault={fault}
          maxLength={800}
          value={text}
          onChange={setText}
        />
      </form>
    </Dialog>
  );
}
