/** One field of an answer. */

import { useId } from "react";
import type { AnswerField, Filled } from "../../model/form/answerForm";
import { shownText } from "../../model/text/untrusted";
import type { Said } from "../../ui/Field";
import { Field } from "../../ui/Field";

interface Props {
  field: AnswerField;
  value: Filled[string] | undefined;
  fault: string | null;
  onChange(value: Filled[string]): void;
}

export function AnswerControl({ field, value, fault, onChange }: Props) {
  const label = `${shownText(field.title).text}${field.isRequired ? " *" : ""}`;
  const note = field.note ? shownText(field.note).text : field.kind === "json" ? "As JSON." : undefined;
  if (field.kind === "several") return <Several field={field} label={label} fault={fault} value={Array.isArray(value) ? value : []} onChange={onChange} />;
  return (
    <Field label={label} note={note} fault={fault}>
      {(id, _, said) => <Control id={id} said={said} field={field} value={value} onChange={onChange} />}
    </Field>
  );
}

function Control({ id, said, field, value, onChange }: Omit<Props, "fault"> & { id: string; said: Said }) {
  const text = typeof value === "string" ? value : "";
  const shared = { id, ...said, "aria-required": field.isRequired };
  if (field.kind === "boolean") return <input {...shared} className="question__check" type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />;
  if (field.kind === "choice") {
    return (
      <select {...shared} className="select" value={text} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose…</option>
        {field.options.map((option, at) => (
          <option key={at} value={at}>
            {shownText(option.label).text}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "lines" || field.kind === "json") {
    return <textarea {...shared} className={field.kind === "json" ? "textarea textarea--code" : "textarea"} rows={3} value={text} onChange={(event) => onChange(event.target.value)} />;
  }
  return <input {...shared} className="input" inputMode={field.kind === "number" ? "decimal" : undefined} value={text} onChange={(event) => onChange(event.target.value)} />;
}

function Several({ field, label, fault, value, onChange }: { field: AnswerField; label: string; fault: string | null; value: readonly number[]; onChange(value: readonly number[]): void }) {
  const toggle = (at: number) => onChange(value.includes(at) ? value.filter((one) => one !== at) : [...value, at].sort((one, other) => one - other));
  const id = useId();
  return (
    <fieldset className="question__several" aria-describedby={fault ? id : undefined}>
      <legend className="field__label">{label}</legend>
      {field.options.map((option, at) => (
        <label key={at} className="row">
          <input type="checkbox" checked={value.includes(at)} onChange={() => toggle(at)} />
          {shownText(option.label).text}
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
