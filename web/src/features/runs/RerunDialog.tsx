/** Runs again from a node; its input can be changed first. */

import { useState } from "react";
import type { Json } from "../../model/workflow/workflow";
import { useStepInput } from "../../queries/runs";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { JsonField } from "../../ui/JsonField";

interface Props {
  run: string;
  step: string;
  title: string;
  /** The canvas has another version than the run, and the new run uses it. */
  isEdited: boolean;
  onRun(input: Json | undefined, isRecorded: boolean): void;
  onClose(): void;
}

export function RerunDialog({ run, step, title, isEdited, onRun, onClose }: Props) {
  const stepInput = useStepInput(run, step, "again");
  const [typed, setTyped] = useState<string | null>(null);
  const [isRecorded, setRecorded] = useState(false);
  const originalInput = stepInput.data?.input;
  const isCut = stepInput.data?.cut !== undefined;
  const text = typed ?? (originalInput === undefined || isCut ? "" : JSON.stringify(originalInput, null, 2));
  const { value, fault } = read(text);
  const isChanged = typed !== null && JSON.stringify(value) !== JSON.stringify(originalInput);
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        look="primary"
        icon="play"
        disabled={isChanged && fault !== null}
        onClick={() => onRun(isChanged ? value : undefined, isRecorded)}
      >
        Run from here
      </Button>
    </>
  );
  return (
    <Dialog title={`Re-run from ${title}`} onClose={onClose} foot={foot}>
      <p>
        Results of earlier nodes are reused; this node and the nodes after it run again
        {isEdited ? ", as they are on the canvas now" : ""}.
      </p>
      <JsonField
        label="Input"
        value={text}
        fault={isChanged ? fault : null}
        note={
          isCut
            ? "The input is too large to show; what you enter here replaces it."
            : "Edit it to try another value."
        }
        isFocused
        onChange={setTyped}
      />
      <label className="row">
        <input type="checkbox" checked={isRecorded} onChange={(event) => setRecorded(event.target.checked)} />
        Use recorded answers, and stop at the first request that is not recorded
      </label>
    </Dialog>
  );
}

function read(text: string): { value: Json; fault: string | null } {
  try {
    return { value: JSON.parse(text) as Json, fault: null };
  } catch (error) {
    return { value: null, fault: (error as Error).message };
  }
}
