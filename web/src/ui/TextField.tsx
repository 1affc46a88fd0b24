import type { ComponentProps } from "react";
import { Field } from "./Field";

interface Props extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  label: string;
  note?: string | undefined;
  fault?: string | null;
  value: string;
  onChange(value: string): void;
}

/** One line of text with its label, note and error. */
export function TextField({ label, note, fault = null, onChange, ...input }: Props) {
  return (
    <Field label={label} note={note} fault={fault}>
      {(id, _, aria) => (
        <input
          id={id}
          {...aria}
          className="input"
          autoComplete="off"
          {...input}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
