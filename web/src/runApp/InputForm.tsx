/** The inputs of a workflow as a form. */

import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { AnswerControl } from "../features/inbox/AnswerControl";
import type { AnswerValues } from "../model/form/answerForm";
import { fieldValues, parseInputs, schemaFields } from "../model/form/schemaForm";
import type { JsonObject } from "../model/workflow/workflow";
import { Button } from "../ui/Button";
import type { WorkflowForm } from "./useRun";

interface Props {
  form: WorkflowForm;
  given: JsonObject;
  /** What the server said about each input. */
  faults: Readonly<Record<string, string>>;
  isDisabled: boolean;
  isAgain: boolean;
  onRun(inputs: JsonObject): void;
}

export function InputForm({ form, given, faults, isDisabled, isAgain, onRun }: Props) {
  const schema = form.input_schema;
  const fields = schemaFields(schema);
  const [values, setValues] = useState<AnswerValues>(() => fieldValues(fields, schema, given));
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({});
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(), [own, faults]);
  const submit = () => {
    const parsed = parseInputs(fields, schema, values, given);
    setOwn(parsed.faults);
    if (Object.keys(parsed.faults).length === 0) onRun(parsed.inputs);
  };
  // Not a form: a frame without the permission to submit forms sends no event.
  const onKeyDown = (event: KeyboardEvent) => {
    const isText = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    if (event.key !== "Enter" || !isText || isDisabled) return;
    event.preventDefault();
    submit();
  };
  return (
    <div ref={box} className="run-app__form" role="group" aria-label="Inputs" onKeyDown={onKeyDown}>
      {fields.length === 0 && <p className="faint">This workflow needs no inputs.</p>}
      {fields.map((field) => (
        <AnswerControl
          key={field.name}
          field={field}
          value={values[field.name]}
          fault={own[field.name] ?? faults[field.name] ?? null}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <div className="row">
        <Button look="primary" icon="play" disabled={isDisabled} onClick={submit}>
          {isAgain ? "Run again" : "Run"}
        </Button>
      </div>
    </div>
  );
}
