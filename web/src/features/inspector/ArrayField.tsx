import type { ReactNode } from "react";
import { itemOf, labelOf } from "../../model/form/parameters";
import { freshValue } from "../../model/form/values";
import { Button } from "../../ui/Button";
import { Fold } from "./CollapsibleSection";
import type { FieldProps } from "./formContext";
import { useForm, usePlace } from "./formContext";
import { Required } from "./fieldNotes";

/** A list: its items, and buttons to add, move and remove them. */
export function ArrayField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const { Inner } = useForm();
  const place = usePlace(path);
  const items = Array.isArray(place.value) ? place.value : [];
  const label = labelOf(parameter);
  const isFull = items.length >= (parameter.validation?.maxItems ?? Infinity);
  const add = () => place.set([...items, freshValue(itemOf(parameter, items.length), depth + 1)]);
  const swap = (at: number) => place.set(items.map((one, index) => (index === at ? items[at - 1]! : index === at - 1 ? items[at]! : one)));
  const title = (
    <>
      {label}
      {parameter.required && <Required isSection />} <span className="faint">{items.length}</span>
    </>
  );
  return (
    <Fold title={title} note={parameter.description} tools={tools} isOpen={Boolean(parameter.required) || items.length > 0} problems={place.problems}>
      {items.map((_, at) => (
        <div key={at} className="item">
          <Inner parameter={{ ...itemOf(parameter, at), name: `${label} ${at + 1}`, title: undefined, required: false }} path={[...path, at]} depth={depth + 1} />
          {!place.isReadOnly && (
            <div className="item__tools">
              {at > 0 && (
                <button type="button" className="param__tool" aria-label={`Move ${label} ${at + 1} up`} onClick={() => swap(at)}>
                  ↑
                </button>
              )}
              <button type="button" className="param__tool" onClick={() => place.set(items.filter((_, index) => index !== at))}>
                Remove {label} {at + 1}
              </button>
            </div>
          )}
        </div>
      ))}
      {!place.isReadOnly && (
        <Button icon="plus" disabled={isFull} onClick={add}>
          Add to {label}
        </Button>
      )}
    </Fold>
  );
}
