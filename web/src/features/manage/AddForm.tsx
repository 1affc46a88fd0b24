/** A small form that adds one item; it is closed after success. */

import type { FormEvent } from "react";
import { useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { TextField } from "../../ui/TextField";
import { useFirstField } from "./useFirstField";

export interface FormField {
  name: string;
  title: string;
  note?: string;
  isNeeded?: boolean;
  isSecret?: boolean;
  options?: readonly string[];
}

export interface NewItem {
  title: string;
  fields: readonly FormField[];
  isDisabled: boolean;
  onAdd(values: Record<string, string>): Promise<boolean>;
}

export function AddForm({ title, fields, isDisabled, onAdd, onClose }: NewItem & { onClose(): void }) {
  const form = useRef<HTMLFormElement>(null);
  useFirstField(form);
  const [values, setValues] = useState<Record<string, string>>({});
  const isMissing = fields.some(({ name, isNeeded }) => isNeeded && !values[name]?.trim());
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const entries = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
    if (await onAdd(Object.fromEntries(entries.filter(([, value]) => value)))) onClose();
  };
  return (
    <form ref={form} className="card manage__form" aria-label={title} onSubmit={(event) => void add(event)}>
      <h2>{title}</h2>
      <div className="manage__fields">
        {fields.map((field) => (
          <Control
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
      </div>
      <div className="row">
        <Button type="submit" look="primary" disabled={isDisabled || isMissing}>
          {title}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

interface ControlProps {
  field: FormField;
  value: string;
  onChange(value: string): void;
}

function Control({ field: { title, note, isSecret, options }, value, onChange }: ControlProps) {
  if (!options) {
    const type = isSecret ? "password" : "text";
    return <TextField label={title} note={note} type={type} value={value} onChange={onChange} />;
  }
  return (
    <Field label={title} note={note}>
      {(id, _, aria) => (
        <select
          id={id}
          {...aria}
          className="select"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">Choose…</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
