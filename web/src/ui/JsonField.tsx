import type { ReactNode } from "react";
import { Field } from "./Field";
import { JsonEditor } from "./JsonEditor";

interface Props {
  label: string;
  value: string;
  note?: ReactNode;
  fault: string | null;
  isReadOnly?: boolean;
  /** It is the first field of a dialog. */
  isFocused?: boolean;
  onChange(text: string): void;
  onBlur?(): void;
}

/** A labelled field for JSON, with colours, matching brackets and an error. */
export function JsonField({ label, note, fault, isReadOnly = false, onBlur = () => {}, ...editor }: Props) {
  return (
    <Field label={label} note={note} fault={fault}>
      {(id, _, aria) => (
        <JsonEditor id={id} aria={aria} label={label} isReadOnly={isReadOnly} onBlur={onBlur} {...editor} />
      )}
    </Field>
  );
}
