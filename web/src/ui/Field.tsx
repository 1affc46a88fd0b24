import type { ReactNode } from "react";
import { useId } from "react";

interface Props {
  label: string;
  note?: ReactNode;
  fault?: string | null;
  children(id: string, describedBy: string | undefined): ReactNode;
}

/** A control with its label, a note, and what is wrong with its value. */
export function Field({ label, note, fault, children }: Props) {
  const id = useId();
  const hasMore = Boolean(note || fault);
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      {children(id, hasMore ? `${id}-more` : undefined)}
      {hasMore && (
        <div id={`${id}-more`}>
          {fault && <div className="field__fault">{fault}</div>}
          {note && <div className="field__note">{note}</div>}
        </div>
      )}
    </div>
  );
}
