import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { Problem } from "../../api/client";
import { Description, FieldProblems, fieldAria } from "./fieldNotes";

interface Props {
  title: ReactNode;
  note?: string | undefined;
  tools?: ReactNode;
  isOpen: boolean;
  problems?: readonly Problem[];
  children: ReactNode;
}

/** A section that collapses; its content is rendered only while it is open. */
export function CollapsibleSection({ title, note, tools, isOpen, problems = [], children }: Props) {
  const [open, setOpen] = useState(isOpen);
  const id = useId();
  const aria = fieldAria(id, note, problems);
  return (
    <section className="fold">
      <div className="param__head">
        <button
          type="button"
          className="fold__title"
          aria-expanded={open}
          aria-describedby={aria["aria-describedby"]}
          onClick={() => setOpen(!open)}
        >
          <span className="fold__sign" aria-hidden="true">
            {open ? "▾" : "▸"}
          </span>
          {title}
        </button>
        {tools}
      </div>
      <Description id={id} text={note} />
      <FieldProblems id={id} problems={problems} />
      {open && <div className="fold__body">{children}</div>}
    </section>
  );
}
