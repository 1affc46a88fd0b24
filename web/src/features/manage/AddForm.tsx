/** A small form that adds one thing; it is emptied when that worked. */

import type { FormEvent } from "react";
import { useState } from "react";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";

export interface Asked {
  name: string;
  title: string;
  note?: string;
  isNeeded?: boolean;
  isSecret?: boolean;
  options?: readonly string[];
}

interface Props {
  title: string;
  fields: readonly Asked[];
  isOff: boolean;
  onAdd(values: Record<string, string>): Promise<boolean>;
}

export function AddForm({ title, fields, isOff, onAdd }: Props) {
  const [values, setValues] = useState<Record<string, string>>({});
  const isMissing = fields.some(({ name, isNeeded }) => isNeeded && !values[name]?.trim());
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const given = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
    if (await onAdd(Object.fromEntries(given.filter(([, value]) => value)))) setValues({});
  };
  return (
    <form className="card manage__form" aria-label={title} onSubmit={(event) => void add(event)}>
      <h2>{title}</h2>
      <div className="manage__fields">
        {fields.map((asked) => (
          <Field key={asked.name} label={asked.title} note={asked.note}>
            {(id, more) => <Control id={id} more={more} asked={asked} value={values[asked.name] ?? ""} onChange={(value) => setValues({ ...values, [asked.name]: value })} />}
          </Field>
        ))}
      </div>
      <div className="row">
        <Button type="submit" look="primary" disabled={isOff || isMissing}>
          {title}
        </Button>
      </div>
    </form>
  );
}

function Control({ id, more, asked, value, onChange }: { id: string; more: string | undefined; asked: Asked; value: string; onChange(value: string): void }) {
  const shared = { id, "aria-describedby": more, value };
  if (!asked.options) return <input {...shared} className="input" type={asked.isSecret ? "password" : "text"} autoComplete="off" onChange={(event) => onChange(event.target.value)} />;
  return (
    <select {...shared} className="select" onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose…</option>
      {asked.options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
