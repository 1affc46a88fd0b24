/** One field of an answer. */

import { useId } from "react";
import type { AnswerField, AnswerValues } from "../../model/form/answerForm";
import { safeText } from "../../model/text/untrusted";
import type { FieldAria } from "../../ui/Field";
import { Field } from "../../ui/Field";

interface Props {
  field: AnswerField;
  value: AnswerValues[string] | undefined;
  fault: string | null;
  onChange(value: AnswerValues[string]): void;
}

export function AnswerControl({ field, value, fault, onChange }: Props) {
  const label = `${safeText(field.title).text}${field.isRequired ? " *" : ""}`;
  const note = field.note ? safeText(field.note).text : field.kind === "json" ? "Enter JSON." : undefined;
  if (field.kind === "several")
    return (
      <MultipleChoice
        field={field}
        label={label}
        fault={fault}
        value={Array.isArray(value) ? value : []}
        onChange={onChange}
      />
    );
  return (
    <Field label={label} note={note} fault={fault}>
      {(id, _, aria) => <Control id={id} aria={aria} field={field} value={value} onChange={onChange} />}
    </Field>
  );
}

function Control({
  id,
  aria,
  field,
  value,
  onChange,
}: Omit<Props, "fault"> & { id: string; aria: FieldAria }) {
  const text = typeof value === "string" ? value : "";
  const shared = { id, ...aria, "aria-required": field.isRequired };
  if (field.kind === "boolean")
    return (
      <input
        {...shared}
        className="question__check"
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  if (field.kind === "choice") {
    return (
      <select {...shared} className="select" value={text} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose…</option>
        {field.options.map((option, at) => (
          <option key={at} value={at}>
            {safeText(option.label).text}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "lines" || field.kind === "json") {
    return (
      <textarea
        {...shared}
        className={field.kind === "json" ? "textarea textarea--code" : "textarea"}
        rows={3}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <input
      {...shared}
      className="input"
      inputMode={field.kind === "number" ? "decimal" : undefined}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function MultipleChoice({
  field,
  label,
  fault,
  value,
  onChange,
}: {
  field: AnswerField;
  label: string;
  fault: string | null;
  value: readonly number[];
  onChange(value: readonly number[]): void;
}) {
  const toggle = (at: number) =>
    onChange(
      value.includes(at) ? value.filter((other) => other !== at) : [...value, at].sort((a, b) => a - b),
    );
  const id = useId();
  return (
    <fieldset className="question__several" aria-describedby={fault ? id : undefined}>
      <legend className="field__label">{label}</legend>
      {field.options.map((option, at) => (
        <label key={at} className="row">
          <input type="checkbox" checked={value.includes(at)} onChange={() => toggle(at)} />
          {safeText(option.label).text}
        </label>
      ))}
      {fault && (
        <div id={id} className="field__fault">
          {fault}
        </div>
      )}
    </fieldset>
  );
}
