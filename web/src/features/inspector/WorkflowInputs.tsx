/** The inputs that a run of the workflow takes: forms, completion and the published tool are made from them. */

import { useEffect, useState } from "react";
import type { DeclaredInput } from "../../model/workflow/declaredInputs";
import {
  addInput,
  changeInput,
  declaredInputs,
  inputNameFault,
  INPUT_TYPES,
  removeInput,
} from "../../model/workflow/declaredInputs";
import type { Json, Workflow } from "../../model/workflow/workflow";
import { useDocument, useEditor } from "../../state/editorContext";
import { Button, IconButton } from "../../ui/Button";
import { useFocusOfAdded } from "./ArrayField";
import "./builder.css";

export function WorkflowInputs({ isReadOnly }: { isReadOnly: boolean }) {
  const editor = useEditor();
  const workflow = useDocument((state) => state.history.present);
  const inputs = declaredInputs(workflow);
  const added = useFocusOfAdded(inputs.length);
  if (isReadOnly && inputs.length === 0) return null;
  return (
    <section className="workflow-inputs" aria-label="Inputs of the workflow">
      <h2>Inputs</h2>
      {inputs.length === 0 && (
        <p className="faint">What a run is started with, such as a city. Nodes read it as trigger.city.</p>
      )}
      {inputs.map((input, at) => (
        <div key={at} ref={at === inputs.length - 1 ? added.ref : undefined}>
          <InputRow workflow={workflow} input={input} isReadOnly={isReadOnly} />
        </div>
      ))}
      {!isReadOnly && (
        <Button look="quiet" icon="plus" onClick={() => (added.wasAdded(), editor.document.edit(addInput))}>
          Add input
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  workflow: Workflow;
  input: DeclaredInput;
  isReadOnly: boolean;
}

function InputRow({ workflow, input, isReadOnly }: RowProps) {
  const editor = useEditor();
  const { name } = input;
  const change = (part: Partial<DeclaredInput>) =>
    editor.document.edit((now) => changeInput(now, name, part), `input-${name}-${Object.keys(part).join()}`);
  return (
    <fieldset
      className="workflow-input"
      aria-label={`Input ${name}`}
      disabled={isReadOnly}
      onBlur={() => editor.document.endGesture()}
    >
      <NameField workflow={workflow} name={name} onRename={(to) => change({ name: to })} />
      <select
        className="select"
        aria-label={`Type of ${name}`}
        value={input.type ?? "other"}
        onChange={(event) => change({ type: event.target.value })}
      >
        {input.type === null && <option value="other">Several types</option>}
        {INPUT_TYPES.map((type) => (
          <option key={type.name} value={type.name}>
            {type.title}
          </option>
        ))}
      </select>
      <IconButton
        label={`Remove input ${name}`}
        icon="trash"
        onClick={() => editor.document.edit((now) => removeInput(now, name))}
      />
      <div className="workflow-input__default">
        <span className="faint" aria-hidden="true">
          Default
        </span>
        <DefaultField input={input} onChange={(value) => change({ default: value })} />
      </div>
      <label className="workflow-input__required">
        <input
          type="checkbox"
          checked={input.isRequired}
          onChange={(event) => change({ isRequired: event.target.checked })}
        />
        Required
      </label>
      <input
        className="input workflow-input__wide"
        aria-label={`Description of ${name}`}
        placeholder="Description"
        value={input.description}
        onChange={(event) => change({ description: event.target.value })}
      />
    </fieldset>
  );
}

/** Renames when the field is left, because half a name may be that of another input. */
function NameField({
  workflow,
  name,
  onRename,
}: {
  workflow: Workflow;
  name: string;
  onRename(to: string): void;
}) {
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  const fault = typed === name ? null : inputNameFault(workflow, name, typed);
  const settle = () => {
    if (typed !== name && !fault) onRename(typed);
  };
  return (
    <div>
      <input
        className="input input--code"
        aria-label={`Name of ${name}`}
        aria-invalid={fault ? true : undefined}
        autoComplete="off"
        value={typed}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={settle}
        onKeyDown={(event) => event.key === "Enter" && settle()}
      />
      {fault && <div className="field__fault">{fault}</div>}
    </div>
  );
}

function DefaultField({
  input: { name, type, default: value },
  onChange,
}: {
  input: DeclaredInput;
  onChange(value: Json | undefined): void;
}) {
  const label = `Default of ${name}`;
  if (type === "boolean")
    return (
      <select
        className="select"
        aria-label={label}
        value={value === undefined ? "" : String(value)}
        onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value === "true")}
      >
        <option value="">No default</option>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  if (type === "number" || type === "integer")
    return (
      <input
        className="input"
        type="number"
        step={type === "integer" ? 1 : "any"}
        aria-label={label}
        value={typeof value === "number" ? value : ""}
        onChange={(event) =>
          onChange(Number.isNaN(event.target.valueAsNumber) ? undefined : event.target.valueAsNumber)
        }
      />
    );
  if (type === "string")
    return (
      <input
        className="input"
        aria-label={label}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <span className="faint mono workflow-input__value">
      {value === undefined ? "" : JSON.stringify(value)}
    </span>
  );
}
