/** A small form that adds one item; it is closed after success. */

import type { FormEvent } from "react";
import { useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { useFirstField } from "./useFirstField";

export interface FormField {
  name: string;
  title: string;
  note?: string;
  isNeeded?: boolean;
  isSecret?: boolean;
  options?: readonly string[];
}

interface Props {
  title: string;
  fields: readonly FormField[];
  isDisabled: boolean;
  onAdd(values: Record<string, string>): Promise<boolean>;
  onClose(): void;
}

export function AddForm({ title, fields, isDisabled, onAdd, onClose }: Props) {
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
          <Field key={field.name} label={field.title} note={field.note}>
            {(id, more) => (
              <Control
                id={id}
                more={more}
                field={field}
                value={values[field.name] ?? ""}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
              />
            )}
          </Field>
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

function Control({
  id,
  more,
  field,
  value,
  onChange,
}: {
  id: string;
  more: string | undefined;
  field: FormField;
  value: string;
  onChange(value: string): void;
}) {
  const shared = { id, "aria-describedby": more, value };
  if (!field.options)
    return (
      <input
        {...shared}
        className="input"
        type={field.isSecret ? "password" : "text"}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <select {...shared} className="select" onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose…</option>
      {field.options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
