import type { ReactNode } from "react";
import { useId, useState } from "react";
import { entryParameter, labelOf, propertiesOf } from "../../model/form/parameters";
import { additionalKeys } from "../../model/form/problems";
import { unusedKey, initialValue, isObject, renameKey } from "../../model/form/values";
import type { JsonObject } from "../../model/workflow/workflow";
import { Button } from "../../ui/Button";
import { useFocusOfAdded } from "./ArrayField";
import { CollapsibleSection } from "./CollapsibleSection";
import { RequiredMark } from "./fieldNotes";
import type { FieldProps, FormField } from "./formContext";
import { useForm, useFormField } from "./formContext";

/** An object: a collapsible section with its properties, then its additional entries. */
export function ObjectField({ parameter, path, depth, tools }: FieldProps & { tools: ReactNode }) {
  const { Inner } = useForm();
  const field = useFormField(path);
  const value = isObject(field.value) ? field.value : {};
  const title = (
    <>
      {labelOf(parameter)}
      {parameter.required && <RequiredMark isSection />}
    </>
  );
  return (
    <CollapsibleSection
      title={title}
      note={parameter.description}
      tools={tools}
      isOpen={Boolean(parameter.required) || field.value !== undefined}
      problems={field.problems}
    >
      {propertiesOf(parameter).map((property) => (
        <Inner key={property.name} parameter={property} path={[...path, property.name]} depth={depth + 1} />
      ))}
      {entryParameter(parameter, "") !== null && (
        <AdditionalEntries parameter={parameter} path={path} depth={depth} field={field} value={value} />
      )}
    </CollapsibleSection>
  );
}

function AdditionalEntries({
  parameter,
  path,
  depth,
  field,
  value,
}: FieldProps & { field: FormField; value: JsonObject }) {
  const { Inner } = useForm();
  const keys = additionalKeys(parameter, value);
  const lastEntry = useFocusOfAdded(keys.length);
  const add = () => {
    lastEntry.wasAdded();
    const key = unusedKey(value);
    field.set({ ...value, [key]: initialValue(entryParameter(parameter, key)!, depth + 1) });
  };
  return (
    <>
      {keys.map((key, at) => (
        <div key={at} className="item" ref={at === keys.length - 1 ? lastEntry.ref : undefined}>
          <KeyField
            name={key}
            isReadOnly={field.isReadOnly}
            isTaken={(to) => to !== key && Object.hasOwn(value, to)}
            onRename={(to) => field.set(renameKey(value, key, to))}
          />
          <Inner
            parameter={{ ...entryParameter(parameter, key)!, required: false }}
            path={[...path, key]}
            depth={depth + 1}
          />
        </div>
      ))}
      {!field.isReadOnly && (
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

/** The name of an entry; it is renamed when the field loses focus. */
function KeyField({ name, isReadOnly, isTaken, onRename }: KeyProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const fault = typed !== null && isTaken(typed) ? "this name is already used" : null;
  const commitName = () => {
    if (typed !== null && typed !== "" && !fault) onRename(typed);
    setTyped(null);
  };
  return (
    <>
      <input
        className="input input--code"
        aria-label={`Name of entry ${name}`}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? id : undefined}
        value={typed ?? name}
        readOnly={isReadOnly}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commitName}
      />
      {fault && (
        <div id={id} className="field__fault">
          Not saved: {fault}
        </div>
      )}
    </>
  );
}
