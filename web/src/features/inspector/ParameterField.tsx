/** One parameter with everything below it; each kind has its own control. */

import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { Control } from "../../model/form/parameters";
import { controlOf, labelOf } from "../../model/form/parameters";
import { isExpression } from "../../model/form/values";
import { ArrayField } from "./ArrayField";
import type { BuilderKind } from "./builderKind";
import { builderOf } from "./builderKind";
import { CredentialField } from "./CredentialField";
import {
  BooleanControl,
  ConstantControl,
  EnumControl,
  ExpressionControl,
  JsonControl,
  NumberControl,
  TextControl,
} from "./controls";
import { FieldBuilder } from "./FieldBuilder";
import { Description, FieldProblems, RawName, RequiredMark, fieldAria } from "./fieldNotes";
import type { FieldProps, FormField } from "./formContext";
import { useFormField } from "./formContext";
import { ObjectField } from "./ObjectField";
import { UnionField } from "./UnionField";
import { useMapping } from "./useMapping";

const SIMPLE_CONTROLS = {
  text: TextControl,
  number: NumberControl,
  boolean: BooleanControl,
  enum: EnumControl,
  constant: ConstantControl,
  null: ConstantControl,
  json: JsonControl,
};
const NESTED_FIELDS = { array: ArrayField, object: ObjectField, union: UnionField };

export function ParameterField({ parameter, path, depth, isBare = false }: FieldProps) {
  const field = useFormField(path);
  const id = useId();
  const [wantsExpression, setWantsExpression] = useState(false);
  const control = controlOf(parameter, depth);
  const label = labelOf(parameter);
  const isComputed = control !== "text" && (wantsExpression || isExpression(field.value));
  const Nested = control in NESTED_FIELDS ? NESTED_FIELDS[control as keyof typeof NESTED_FIELDS] : null;
  const Simple = Nested ? null : SIMPLE_CONTROLS[control as keyof typeof SIMPLE_CONTROLS];
  const toggle = () => {
    if (isComputed && isExpression(field.value)) field.set(undefined);
    setWantsExpression(!isComputed);
  };
  const mapping = useMapping({
    label,
    field,
    isText: control === "text" || isComputed,
    isJson: control === "json" && !isComputed,
  });
  const aria = fieldAria(id, parameter.description, field.problems);
  const isOwn = isComputed || field.value === null || !Nested;
  const raw = Simple && <Simple id={id} parameter={parameter} field={field} aria={aria} />;
  const withBuilder = (kind: BuilderKind | null, control: ReactNode) =>
    kind === null ? (
      control
    ) : (
      <FieldBuilder kind={kind} label={label} field={field} aria={aria} raw={control} />
    );
  const tools = isBare ? null : (
    <FieldTools
      label={label}
      control={control}
      parameter={parameter}
      field={field}
      isComputed={isComputed}
      onExpression={toggle}
    />
  );
  if (!isOwn && Nested)
    return (
      <div className="param--nested" {...mapping}>
        <Nested parameter={parameter} path={path} depth={depth} tools={tools} />
      </div>
    );
  return (
    <div className="field param" {...mapping}>
      <div className="param__head">
        <label className="field__label" htmlFor={id}>
          {label}
          {parameter.required && <RequiredMark />}
        </label>
        <RawName name={parameter.name} label={label} />
        {tools}
      </div>
      {isComputed ? (
        <ExpressionControl id={id} parameter={parameter} field={field} aria={aria} />
      ) : field.value === null && control !== "json" ? (
        <output id={id} aria-describedby={aria["aria-describedby"]} className="param__fixed">
          null
        </output>
      ) : (
        raw &&
        (parameter.isSensitive && control === "text" ? (
          <CredentialField id={id} label={label} field={field} aria={aria} raw={raw} />
        ) : (
          withBuilder(builderOf(parameter, control, field.pointer), raw)
        ))
      )}
      <Description id={id} text={parameter.description} />
      <FieldProblems id={id} problems={field.problems} />
    </div>
  );
}

interface ToolsProps {
  label: string;
  control: Control;
  parameter: FieldProps["parameter"];
  field: FormField;
  isComputed: boolean;
  onExpression(): void;
}

/** Buttons for each value: use an expression, set null, or clear. */
function FieldTools({ label, control, parameter, field, isComputed, onExpression }: ToolsProps) {
  if (field.isReadOnly || control === "constant") return null;
  const canBeNull = parameter.nullable && !isComputed && control !== "json";
  return (
    <span className="param__tools">
      {canBeNull && (
        <button
          type="button"
          className="param__tool"
          aria-pressed={field.value === null}
          aria-label={`Null for ${label}`}
          title="Set to null"
          onClick={() => field.set(field.value === null ? undefined : null)}
        >
          null
        </button>
      )}
      {field.language !== null && control !== "text" && (
        <button
          type="button"
          className="param__tool"
          aria-pressed={isComputed}
          aria-label={`Expression for ${label}`}
          title="Use an expression"
          onClick={onExpression}
        >
          {"{{ }}"}
        </button>
      )}
      {field.value !== undefined && (
        <button
          type="button"
          className="param__tool"
          aria-label={`Clear ${label}`}
          title="Clear"
          onClick={() => field.set(undefined)}
        >
          ×
        </button>
      )}
    </span>
  );
}
