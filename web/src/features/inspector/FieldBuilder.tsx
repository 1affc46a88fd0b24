/** A field that is edited in rows or as a sentence, with a switch to the expression or JSON behind it. */

import type { ReactNode } from "react";
import { useState } from "react";
import { parseCondition } from "../../model/form/conditions";
import { parseSchedule } from "../../model/form/schedule";
import { isObject } from "../../model/form/values";
import type { Json } from "../../model/workflow/workflow";
import type { FieldAria } from "../../ui/Field";
import { ConditionRows } from "./ConditionRows";
import type { BuilderKind } from "./builderKind";
import type { FormField } from "./formContext";
import { MapRows } from "./MapRows";
import { ScheduleSentence } from "./ScheduleSentence";
import "./builder.css";

const TITLES: Record<BuilderKind, { built: string; raw: string }> = {
  condition: { built: "Rows", raw: "Expression" },
  schedule: { built: "Sentence", raw: "Cron" },
  map: { built: "Rows", raw: "JSON" },
};
const BUILDERS = { condition: ConditionRows, schedule: ScheduleSentence, map: MapRows };

interface Props {
  kind: BuilderKind;
  label: string;
  field: FormField;
  aria: FieldAria;
  /** The control for the text itself. */
  raw: ReactNode;
}

export function FieldBuilder({ kind, label, field, aria, raw }: Props) {
  // What is typed in the rows stays there, also while it is not complete, as with "data.".
  const [own, setOwn] = useState<{ value: Json | undefined } | null>(null);
  const reason = own !== null && own.value === field.value ? null : whyNot(kind, field);
  const writing = (write: (value: Json | undefined) => void) => (value: Json | undefined) => {
    setOwn({ value });
    write(value);
  };
  const ownField = { ...field, type: writing(field.type), set: writing(field.set) };
  const [isRaw, setRaw] = useState(() => reason !== null || field.isReadOnly);
  const Builder = BUILDERS[kind];
  const { built, raw: rawTitle } = TITLES[kind];
  const showsRaw = isRaw || reason !== null;
  return (
    <div className="builder" data-built={showsRaw ? undefined : kind}>
      <div className="builder__switch" role="group" aria-label={`${label} as`}>
        <button
          type="button"
          className="param__tool"
          aria-pressed={!showsRaw}
          disabled={reason !== null || field.isReadOnly}
          onClick={() => setRaw(false)}
        >
          {built}
        </button>
        <button
          type="button"
          className="param__tool"
          aria-pressed={showsRaw}
          onClick={() => {
            // What the rows hold counts from now on only if they can be read from the text.
            setOwn(null);
            setRaw(true);
          }}
        >
          {rawTitle}
        </button>
      </div>
      {showsRaw ? raw : <Builder label={label} field={ownField} describedBy={aria["aria-describedby"]} />}
      {reason !== null && (
        <p className="faint builder__reason">
          {built === "Rows" ? "Rows" : "A sentence"} cannot show this: {reason}.
        </p>
      )}
    </div>
  );
}

/** Null if the builder can show the value. */
function whyNot(kind: BuilderKind, { value }: FormField): string | null {
  if (kind === "map") return value === undefined || isObject(value) ? null : "it is not an object";
  if (value === undefined || value === "") return null;
  if (typeof value !== "string") return "it is not a text";
  if (kind === "schedule")
    return parseSchedule(value) ? null : "it combines times in a way that only cron can express";
  const parsed = parseCondition(value);
  return "reason" in parsed ? parsed.reason : null;
}
