import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { Parameter } from "../../model/form/parameters";
import { controlOf, labelOf } from "../../model/form/parameters";
import { initialValue, matchingVariant } from "../../model/form/values";
import { Description, FieldProblems, RequiredMark, fieldAria } from "./fieldNotes";
import type { FieldProps } from "./formContext";
import { useForm, useFormField } from "./formContext";

/** One of several alternatives: a select, then the fields of the selected one. */
export function UnionField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const field = useFormField(path);
  const id = useId();
  // A value may match several alternatives, as an empty one does; then the user's choice counts.
  const [chosen, setChosen] = useState(-1);
  const variants = parameter.variants ?? [];
  const matched = matchingVariant(parameter, field.value);
  const selectedIndex =
    field.value === undefined
      ? -1
      : chosen >= 0 && matchesVariant(variants[chosen]!, field.value)
        ? chosen
        : matched;
  const choose = (index: number) => {
    setChosen(index);
    field.set(index < 0 ? undefined : initialValue(variants[index]!, depth + 1));
  };
  return (
    <div className="field param">
      <div className="param__head">
        <label className="field__label" htmlFor={id}>
          {labelOf(parameter)}
          {parameter.required && <RequiredMark />}
        </label>
        {tools}
      </div>
      <select
        id={id}
        {...fieldAria(id, parameter.description, selectedIndex >= 0 ? [] : field.problems)}
        className="select"
        value={selectedIndex}
        disabled={field.isReadOnly}
        aria-required={parameter.required}
        onChange={(event) => choose(Number(event.target.value))}
      >
        <option value={-1}>{field.value === undefined ? "Not set" : "Other"}</option>
        {variants.map((variant, index) => (
          <option key={index} value={index}>
            {variantTitle(variant, parameter.discriminator)}
          </option>
        ))}
      </select>
      <Description id={id} text={parameter.description} />
      {selectedIndex >= 0 ? (
        <Variant
          parameter={variants[selectedIndex]!}
          title={variantTitle(variants[selectedIndex]!, parameter.discriminator)}
          path={path}
          depth={depth}
        />
      ) : (
        <FieldProblems id={id} problems={field.problems} />
      )}
    </div>
  );
}

function Variant({ parameter, title, path, depth }: FieldProps & { title: string }) {
  const { Inner } = useForm();
  return (
    <div className="param__variant">
      <Inner
        parameter={{ ...parameter, name: title, title: undefined, required: true }}
        path={path}
        depth={depth + 1}
        isBare
      />
    </div>
  );
}

function matchesVariant(variant: Parameter, value: Parameters<typeof matchingVariant>[1]): boolean {
  return matchingVariant({ name: "", type: "string", kind: "union", variants: [variant] }, value) === 0;
}

/** The constant that identifies the alternative, its title, or its kind. */
function variantTitle(variant: Parameter, discriminator: string | undefined): string {
  const tag = discriminator ? variant.properties?.[discriminator]?.validation?.enum?.[0] : undefined;
  if (tag !== undefined) return String(tag);
  if (variant.title) return variant.title;
  return (
    variant.kind ??
    (controlOf(variant) === "enum" ? variant.validation!.enum!.map(String).join(" | ") : variant.type)
  );
}
