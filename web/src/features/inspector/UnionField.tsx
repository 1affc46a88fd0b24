import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { Parameter } from "../../model/form/parameters";
import { controlOf, labelOf } from "../../model/form/parameters";
import { freshValue, variantOf } from "../../model/form/values";
import type { FieldProps } from "./formContext";
import { useForm, usePlace } from "./formContext";
import { About, ProblemLines, Required, saidOf } from "./fieldNotes";

/** One of several shapes: which one, then the fields of it. */
export function UnionField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const place = usePlace(path);
  const id = useId();
  // A value may fit several alternatives, as an empty one does: what was chosen stands then.
  const [chosen, setChosen] = useState(-1);
  const variants = parameter.variants ?? [];
  const found = variantOf(parameter, place.value);
  const at = place.value === undefined ? -1 : chosen >= 0 && fits(variants[chosen]!, place.value) ? chosen : found;
  const choose = (index: number) => {
    setChosen(index);
    place.set(index < 0 ? undefined : freshValue(variants[index]!, depth + 1));
  };
  return (
    <div className="field param">
      <div className="param__head">
        <label className="field__label" htmlFor={id}>
          {labelOf(parameter)}
          {parameter.required && <Required />}
        </label>
        {tools}
      </div>
      <select id={id} {...saidOf(id, parameter.description, at >= 0 ? [] : place.problems)} className="select" value={at} disabled={place.isReadOnly} aria-required={parameter.required} onChange={(event) => choose(Number(event.target.value))}>
        <option value={-1}>{place.value === undefined ? "Not set" : "Something else"}</option>
        {variants.map((one, index) => (
          <option key={index} value={index}>
            {titleOf(one, parameter.discriminator)}
          </option>
        ))}
      </select>
      <About id={id} text={parameter.description} />
      {at >= 0 ? <Variant parameter={variants[at]!} title={titleOf(variants[at]!, parameter.discriminator)} path={path} depth={depth} /> : <ProblemLines id={id} problems={place.problems} />}
    </div>
  );
}

function Variant({ parameter, title, path, depth }: FieldProps & { title: string }) {
  const { Inner } = useForm();
  return (
    <div className="param__variant">
      <Inner parameter={{ ...parameter, name: title, title: undefined, required: true }} path={path} depth={depth + 1} isBare />
    </div>
  );
}

function fits(variant: Parameter, value: Parameters<typeof variantOf>[1]): boolean {
  return variantOf({ name: "", type: "string", kind: "union", variants: [variant] }, value) === 0;
}

/** The constant that tells it apart, its own title, or its kind. */
function titleOf(variant: Parameter, discriminator: string | undefined): string {
  const told = discriminator ? variant.properties?.[discriminator]?.validation?.enum?.[0] : undefined;
  if (told !== undefined) return String(told);
  if (variant.title) return variant.title;
  return variant.kind ?? (controlOf(variant) === "enum" ? variant.validation!.enum!.map(String).join(" | ") : variant.type);
}
