import type { ReactNode } from "react";
import { useId } from "react";

/** The ARIA attributes that connect a control with its note and its error. */
export interface FieldAria {
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

interface Props {
  label: string;
  note?: ReactNode;
  fault?: string | null;
  children(id: string, describedBy: string | undefined, said: FieldAria): ReactNode;
}

/** A labelled control with a note and an error; the control spreads the ARIA attributes it is passed. */
export function Field({ label, note, fault, children }: Props) {
  const id = useId();
  const describedById = note || fault ? `${id}-more` : undefined;
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      {children(id, describedById, {
        "aria-describedby": describedById,
        "aria-invalid": fault ? true : undefined,
      })}
      {describedById && (
        <div id={describedById}>
          {fault && <div className="field__fault">{fault}</div>}
          {note && <div className="field__note">{note}</div>}
        </div>
      )}
    </div>
  );
}
