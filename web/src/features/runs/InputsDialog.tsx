/** The inputs of a run: a field for each declared input, else JSON. */

import type { FormEvent } from "react";
import { useState } from "react";
import type { InputField } from "../../model/run/inputs";
import { eventFields, eventTriggerOf, inputFields, startText } from "../../model/run/inputs";
import type { Json, JsonObject, Workflow } from "../../model/workflow/workflow";
import { nodeRef, nodeTitle } from "../../model/workflow/workflow";
import { useNodeDetails } from "../../queries/catalog";
import { useEditor } from "../../state/editorContext";
import { initialInputs } from "../../state/lastInputs";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import type { FieldAria } from "../../ui/Field";
import { Field } from "../../ui/Field";
import { JsonField } from "../../ui/JsonField";

interface Props {
  workflow: Workflow;
  onRun(inputs: JsonObject): void;
  onClose(): void;
}

const EVENT_NOTE =
  "Used instead of a real event, and kept for the next run. Expressions read it as trigger.…";

export function InputsDialog({ workflow, onRun, onClose }: Props) {
  const { document } = useEditor();
  const trigger = eventTriggerOf(workflow);
  const { data: details } = useNodeDetails(trigger ? nodeRef(trigger) : null);
  const fields = trigger ? eventFields(details?.outputs ?? []) : inputFields(workflow);
  const startButton = startText(workflow);
  const [values, setValues] = useState<JsonObject>(() => initialInputs(document));
  const [json, setJson] = useState(() => JSON.stringify(initialInputs(document), null, 2));
  const [fault, setFault] = useState<string | null>(null);
  // Of fields whose text is not valid JSON.
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      onRun(fields.length ? values : (JSON.parse(json || "{}") as JsonObject));
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <Dialog title={trigger ? `Test event for ${nodeTitle(trigger)}` : "Run with inputs"} onClose={onClose}>
      <form className="inputs" onSubmit={submit}>
        {trigger && <p className="faint">{EVENT_NOTE}</p>}
        {startButton.note && <p>{startButton.note}</p>}
        {fields.map((field) => (
          <Field
            key={field.name}
            label={field.title + (field.isRequired ? " (required)" : "")}
            note={field.description}
            fault={faults[field.name] || null}
          >
            {(id, _, aria) => (
              <Control
                id={id}
                aria={aria}
                field={field}
                value={values[field.name]}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
                onFault={(fault) => setFaults({ ...faults, [field.name]: fault })}
              />
            )}
          </Field>
        ))}
        {fields.length === 0 && (
          <JsonField
            label={trigger ? "Event, as JSON" : "Inputs, as JSON"}
            value={json}
            fault={fault}
            note={trigger ? undefined : "Add inputs at the Start node to get a field for each."}
            isFocused
            onChange={setJson}
          />
        )}
        <div className="row">
          <Button
            look="primary"
            icon="play"
            type="submit"
            disabled={Object.values(faults).some((found) => found !== "")}
          >
            {startButton.label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ControlProps {
  id: string;
  aria: FieldAria;
  field: InputField;
  value: Json | undefined;
  onChange(value: Json): void;
  /** Empty if there is none. */
  onFault(fault: string): void;
}

function Control({ id, aria, field, value, onChange, onFault }: ControlProps) {
  if (field.kind === "boolean")
    return (
      <input
        id={id}
        {...aria}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  if (field.kind === "choice") {
    return (
      <select
        id={id}
        {...aria}
        className="select"
        value={String(value ?? "")}
        onChange={(event) => onChange(event.target.value)}
      >
        {field.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  if (field.kind === "number")
    return (
      <input
        id={id}
        {...aria}
        className="input"
        type="number"
        step="any"
        value={typeof value === "number" ? value : ""}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
    );
  if (field.kind === "text")
    return (
      <input
        id={id}
        {...aria}
        className="input"
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return <JsonControl id={id} aria={aria} value={value} onChange={onChange} onFault={onFault} />;
}

function JsonControl({ id, aria, value, onChange, onFault }: Omit<ControlProps, "field">) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const type = (typed: string) => {
    setText(typed);
    try {
      if (typed.trim() !== "") onChange(JSON.parse(typed) as Json);
      onFault("");
    } catch (error) {
      onFault(`Not valid JSON: ${(error as Error).message}`);
    }
  };
  return (
    <textarea
      id={id}
      {...aria}
      className="textarea textarea--code"
      rows={3}
      spellCheck={false}
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  );
}
