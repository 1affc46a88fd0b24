/** One parameter with everything below it; each kind has a control of its own. */

import { useId, useState } from "react";
import { controlOf, labelOf } from "../../model/form/parameters";
import type { Control } from "../../model/form/parameters";
import { isExpression } from "../../model/form/values";
import { ArrayField } from "./ArrayField";
import type { FieldProps, Place } from "./formContext";
import { usePlace } from "./formContext";
import { ObjectField } from "./ObjectField";
import { BooleanControl, ConstantControl, EnumControl, ExpressionControl, JsonControl, NumberControl, TextControl } from "./controls";
import { UnionField } from "./UnionField";
import { About, ProblemLines, Required, saidOf } from "./fieldNotes";

const SIMPLE = { text: TextControl, number: NumberControl, boolean: BooleanControl, enum: EnumControl, constant: ConstantControl, null: ConstantControl, json: JsonControl };
const NESTED = { array: ArrayField, object: ObjectField, union: UnionField };

export function ParameterField({ parameter, path, depth, isBare = false }: FieldProps) {
  const place = usePlace(path);
  const id = useId();
  const [wantsExpression, setWantsExpression] = useState(false);
  const control = controlOf(parameter, depth);
  const label = labelOf(parameter);
  const isComputed = control !== "text" && (wantsExpression || isExpression(place.value));
  const Nested = control in NESTED ? NESTED[control as keyof typeof NESTED] : null;
  const Simple = Nested ? null : SIMPLE[control as keyof typeof SIMPLE];
  const toggle = () => {
    if (isComputed && isExpression(place.value)) place.set(undefined);
    setWantsExpression(!isComputed);
  };
  const said = saidOf(id, parameter.description, place.problems);
  const isOwn = isComputed || place.value === null || !Nested;
  const tools = isBare ? null : <Tools label={label} control={control} parameter={parameter} place={place} isComputed={isComputed} onExpression={toggle} />;
  if (!isOwn && Nested) return <Nested parameter={parameter} path={path} depth={depth} tools={tools} />;
  return (
    <div className="field param">
      <div className="param__head">
        <label className="field__label" htmlFor={id}>
          {label}
          {parameter.required && <Required />}
        </label>
        {tools}
      </div>
      {isComputed ? (
        <ExpressionControl id={id} parameter={parameter} place={place} said={said} />
      ) : place.value === null && control !== "json" ? (
        <output id={id} aria-describedby={said["aria-describedby"]} className="param__fixed">null</output>
      ) : (
        Simple && <Simple id={id} parameter={parameter} place={place} said={said} />
      )}
      <About id={id} text={parameter.description} />
      <ProblemLines id={id} problems={place.problems} />
    </div>
  );
}

interface ToolsProps {
  label: string;
  control: Control;
  parameter: FieldProps["parameter"];
  place: Place;
  isComputed: boolean;
  onExpression(): void;
}

/** What can be done to any value: an expression instead, null, or none at all. */
function Tools({ label, control, parameter, place, isComputed, onExpression }: ToolsProps) {
  if (place.isReadOnly || control === "constant") return null;
  const canBeNull = parameter.nullable && !isComputed && control !== "json";
  return (
    <span className="param__tools">
      {canBeNull && (
        <button type="button" className="param__tool" aria-pressed={place.value === null} aria-label={`Null for ${label}`} title="Give null" onClick={() => place.set(place.value === null ? undefined : null)}>
          null
        </button>
      )}
      {place.language !== null && control !== "text" && (
        <button type="button" className="param__tool" aria-pressed={isComputed} aria-label={`Expression for ${label}`} title="Work it out when it runs" onClick={onExpression}>
          {"{{ }}"}
        </button>
      )}
      {place.value !== undefined && (
        <button type="button" className="param__tool" aria-label={`Clear ${label}`} title="Leave it out" onClick={() => place.set(undefined)}>
          ×
        </button>
      )}
    </span>
  );
}
