/** Notes around a field: whether it is required, its description, and its problems. */

import type { Problem } from "../../api/client";
import { problemHint, problemText } from "../../model/form/problems";
import { hintParts } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import type { FieldAria } from "../../ui/Field";
import { Hint } from "../../ui/Hint";
import { Untrusted } from "../../ui/Untrusted";

/** The ARIA attributes that connect a control with its description and its problems. */
export function fieldAria(id: string, about: string | undefined, problems: readonly Problem[]): FieldAria {
  const ids = [problems.length > 0 ? `${id}-problems` : "", about ? `${id}-about` : ""].filter(Boolean);
  return {
    "aria-describedby": ids.join(" ") || undefined,
    "aria-invalid": problems.some(({ severity }) => severity === "error") || undefined,
  };
}

/** The problems of one field. */
export function FieldProblems({ id, problems }: { id: string; problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <div id={`${id}-problems`}>
      {problems.map((problem) => (
        <div
          key={problem.code + problem.pointer + problem.message}
          className={problem.severity === "error" ? "field__fault" : "field__warning"}
        >
          {problemText(problem)}
          {problemHint(problem) && (
            <span className="faint">
              {" — "}
              <Hint parts={hintParts(problemHint(problem)!)} />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** The mark of a required value; a section says it in text, because it has no control with `aria-required`. */
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

/** The name in files and expressions, where it is not the label; shown while the field is used. */
export function RawName({ name, label }: { name: string; label: string }) {
  if (name === label || name === "") return null;
  return (
    <code className="param__raw" title="Name in files and expressions">
      {safeText(name).text}
    </code>
  );
}

/** Descriptions come from servers: they are shown as plain text, with a warning if they contain odd characters. */
export function Description({ id, text }: { id?: string; text: string | undefined }) {
  return text ? (
    <div id={id && `${id}-about`} className="field__note param__about">
      <Untrusted {...safeText(text)} hasCode />
    </div>
  ) : null;
}
