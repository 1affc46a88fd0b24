/** An object as rows of a name and a value. */

import { useEffect, useRef, useState } from "react";
import type { MapRow } from "../../model/form/mapRows";
import { objectOf, rowFault, rowsOf, typedValue, valueText } from "../../model/form/mapRows";
import { isObject } from "../../model/form/values";
import { Button, IconButton } from "../../ui/Button";
import { useFocusOfAdded } from "./ArrayField";
import type { BuilderProps } from "./builderKind";
import type { FormField } from "./formContext";

const EMPTY: MapRow = { key: "", value: "" };

export function MapRows({ label, field, describedBy }: BuilderProps) {
  const [rows, setRows] = useState(() => rowsIn(field));
  const written = useRef(field.value);
  const added = useFocusOfAdded(rows.length);
  useEffect(() => {
    if (JSON.stringify(field.value) === JSON.stringify(written.current)) return;
    written.current = field.value;
    setRows(rowsIn(field));
  }, [field]);
  const change = (next: MapRow[]) => {
    setRows(next);
    const value = objectOf(next);
    const isEmpty = Object.keys(value).length === 0;
    written.current = isEmpty ? undefined : value;
    field.type(written.current);
  };
  const set = (at: number, row: MapRow) => change(rows.map((old, index) => (index === at ? row : old)));
  return (
    <div
      className="map-rows"
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
      onBlur={field.settle}
    >
      {rows.map((row, at) => {
        const fault = rowFault(rows, at);
        const name = row.key || `entry ${at + 1}`;
        return (
          <div key={at} className="map-rows__row" ref={at === rows.length - 1 ? added.ref : undefined}>
            <input
              className="input input--code"
              aria-label={`${label}: name of ${name}`}
              aria-invalid={fault ? true : undefined}
              placeholder="name"
              autoComplete="off"
              value={row.key}
              readOnly={field.isReadOnly}
              onChange={(event) => set(at, { ...row, key: event.target.value })}
            />
            <input
              className="input"
              aria-label={`${label}: value of ${name}`}
              placeholder="value or {{ expression }}"
              autoComplete="off"
              value={valueText(row.value)}
              readOnly={field.isReadOnly}
              onChange={(event) => set(at, { ...row, value: typedValue(row.value, event.target.value) })}
            />
            {!field.isReadOnly && (
              <IconButton
                label={`Remove ${name} from ${label}`}
                icon="trash"
                onClick={() => change(rows.filter((_, index) => index !== at))}
              />
            )}
            {fault && <div className="field__fault">{fault}</div>}
          </div>
        );
      })}
      {!field.isReadOnly && (
        <Button look="quiet" icon="plus" onClick={() => (added.wasAdded(), setRows([...rows, EMPTY]))}>
          Add to {label}
        </Button>
      )}
    </div>
  );
}

function rowsIn({ value }: FormField): MapRow[] {
  return isObject(value) ? rowsOf(value) : [];
}
