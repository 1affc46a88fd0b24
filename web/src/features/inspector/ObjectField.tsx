import type { ReactNode } from "react";
import { useId, useState } from "react";
import { entryOf, labelOf, propertiesOf } from "../../model/form/parameters";
import { otherKeys } from "../../model/form/problems";
import { freeKey, freshValue, isObject, renameKey } from "../../model/form/values";
import type { JsonObject } from "../../model/workflow/workflow";
import { Button } from "../../ui/Button";
import { Fold } from "./CollapsibleSection";
import type { FieldProps, Place } from "./formContext";
import { useForm, usePlace } from "./formContext";
import { Required } from "./fieldNotes";

/** An object: a section that folds, its properties inside, then the entries that have names of their own. */
export function ObjectField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const { Inner } = useForm();
  const place = usePlace(path);
  const value = isObject(place.value) ? place.value : {};
  const title = (
    <>
      {labelOf(parameter)}
      {parameter.required && <Required isSection />}
    </>
  );
  return (
    <Fold title={title} note={parameter.description} tools={tools} isOpen={Boolean(parameter.required) || place.value !== undefined} problems={place.problems}>
      {propertiesOf(parameter).map((one) => (
        <Inner key={one.name} parameter={one} path={[...path, one.name]} depth={depth + 1} />
      ))}
      {entryOf(parameter, "") !== null && <Entries parameter={parameter} path={path} depth={depth} place={place} value={value} />}
    </Fold>
  );
}

function Entries({ parameter, path, depth, place, value }: FieldProps & { place: Place; value: JsonObject }) {
  const { Inner } = useForm();
  const keys = otherKeys(parameter, value);
  const add = () => {
    const key = freeKey(value);
    place.set({ ...value, [key]: freshValue(entryOf(parameter, key)!, depth + 1) });
  };
  return (
    <>
      {keys.map((key, at) => (
        <div key={at} className="item">
          <KeyField name={key} isReadOnly={place.isReadOnly} isTaken={(to) => to !== key && Object.hasOwn(value, to)} onRename={(to) => place.set(renameKey(value, key, to))} />
          <Inner parameter={{ ...entryOf(parameter, key)!, required: false }} path={[...path, key]} depth={depth + 1} />
        </div>
      ))}
      {!place.isReadOnly && (
        <Button look={propertiesOf(parameter).length ? "quiet" : "plain"} icon="plus" onClick={add}>
          Add an entry to {labelOf(parameter)}
        </Button>
      )}
    </>
  );
}

interface KeyProps {
  name: string;
  isReadOnly: boolean;
  isTaken(name: string): boolean;
  onRename(name: string): void;
}

/** The name of an entry; it is taken over when the field is left. */
function KeyField({ name, isReadOnly, isTaken, onRename }: KeyProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const fault = typed !== null && isTaken(typed) ? "this name is taken" : null;
  const leave = () => {
    if (typed !== null && typed !== "" && !fault) onRename(typed);
    setTyped(null);
  };
  return (
    <>
      <input className="input input--code" aria-label={`Name of entry ${name}`} aria-invalid={fault ? true : undefined} aria-describedby={fault ? id : undefined} value={typed ?? name} readOnly={isReadOnly} autoComplete="off" onChange={(event) => setTyped(event.target.value)} onBlur={leave} />
      {fault && (
        <div id={id} className="field__fault">
          Not kept: {fault}
        </div>
      )}
    </>
  );
}
