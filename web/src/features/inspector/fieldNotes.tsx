/** Words around a field: that it is required, what it is for, what is wrong with it. */

import type { Problem } from "../../api/client";
import { safeText } from "../../model/text/untrusted";
import type { FieldAria } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";

/** What a control says of its description and its problems, drawn with the same id. */
export function fieldAria(id: string, about: string | undefined, problems: readonly Problem[]): FieldAria {
  const ids = [problems.length > 0 ? `${id}-problems` : "", about ? `${id}-about` : ""].filter(Boolean);
  return {
    "aria-describedby": ids.join(" ") || undefined,
    "aria-invalid": problems.some(({ severity }) => severity === "error") || undefined,
  };
}

/** What the service says about one field. */
export function FieldProblems({ id, problems }: { id: string; problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <div id={`${id}-problems`}>
      {problems.map((problem) => (
        <div
          key={problem.code + problem.pointer + problem.message}
          className={problem.severity === "error" ? "field__fault" : "field__warning"}
        >
          {safeText(problem.message).text}
          {problem.hint && <span className="faint"> — {problem.hint}</span>}
        </div>
      ))}
    </div>
  );
}

/** The star of a required value; a section has no control that could say it. */
export function RequiredMark({ isSection = false }: { isSection?: boolean }) {
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
export function Description({ id, text }: { id?: string; text: string | undefined }) {
  return text ? (
    <div id={id && `${id}-about`} className="field__note param__about">
      <Untrusted {...safeText(text)} />
    </div>
  ) : null;
}
