import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";

interface Props {
  names: readonly string[];
  /** The tool that the node used before. */
  before: string;
  isFixed: boolean;
  onChoose(name: string): void;
  onCancel(): void;
}

/** Asks for a tool when the user leaves the mode that needs none. */
export function ToolChoice({ names, before, isFixed, onChoose, onCancel }: Props) {
  const [chosen, setChosen] = useState(names.includes(before) ? before : "");
  return (
    <div className="tool-choice">
      <Field label="Choose a tool" note="This mode uses one tool of the server.">
        {(id, _, aria) => (
          <select
            id={id}
            {...aria}
            className="select"
            value={chosen}
            disabled={isFixed}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="">Choose…</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {safeText(name).text}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="row">
        <Button look="primary" disabled={isFixed || chosen === ""} onClick={() => onChoose(chosen)}>
          Use this tool
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
