/** Words around a field: that it is required, what it is for, what is wrong with it. */

import type { Problem } from "../../api/client";
import { shownText } from "../../model/untrusted";
import { Untrusted } from "../../ui/Untrusted";

/** What the service says about one field. */
export function ProblemLines({ problems }: { problems: readonly Problem[] }) {
  return problems.map((problem) => (
    <div key={problem.code + problem.pointer + problem.message} className={problem.severity === "error" ? "field__fault" : "field__warning"} role="status">
      {problem.message}
      {problem.hint && <span className="faint"> — {problem.hint}</span>}
    </div>
  ));
}

/** The star of a required value; a section has no control that could say it. */
export function Required({ isSection = false }: { isSection?: boolean }) {
  return (
    <>
      <span className="param__required" aria-hidden="true" title="required">
        *
      </span>
      {isSection && <span className="visually-hidden"> required</span>}
    </>
  );
}

/** A description is what somebody else wrote: it is shown as text, with a mark where it is odd. */
export function About({ id, text }: { id?: string; text: string | undefined }) {
  return text ? (
    <div id={id && `${id}-about`} className="field__note param__about">
      <Untrusted {...shownText(text)} />
    </div>
  ) : null;
}
