/** An object as rows of a name and a value. */

import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { insertPath } from "../../model/form/insertion";
import type { MapRow } from "../../model/form/mapRows";
import { objectOf, rowFault, rowsOf, typedValue, valueText } from "../../model/form/mapRows";
import { isObject } from "../../model/form/values";
import { Button, IconButton } from "../../ui/Button";
import { useFocusOfAdded } from "./ArrayField";
import type { BuilderProps } from "./builderKind";
import type { FormField } from "./formContext";
import { useRowTarget } from "./useRowTarget";

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
      {rows.map((row, at) => (
        <Row
          key={at}
          ref={at === rows.length - 1 ? added.ref : undefined}
          row={row}
          name={row.key || `entry ${at + 1}`}
          label={label}
          field={field}
          fault={rowFault(rows, at)}
          onChange={(next) => set(at, next)}
          onRemove={() => change(rows.filter((_, index) => index !== at))}
        />
      ))}
      {!field.isReadOnly && (
        <Button look="quiet" icon="plus" onClick={() => (added.wasAdded(), setRows([...rows, EMPTY]))}>
          Add to {label}
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  ref: RefObject<HTMLDivElement | null> | undefined;
  row: MapRow;
  name: string;
  /** What the rows belong to. */
  label: string;
  field: FormField;
  fault: string | null;
  onChange(row: MapRow): void;
  onRemove(): void;
}

function Row({ ref, row, name, label, field, fault, onChange, onRemove }: RowProps) {
  const input = useRef<HTMLInputElement>(null);
  const target = useRowTarget(`the value of ${name}`, ({ path, isDropped }) => {
    const text = valueText(row.value);
    const end = text.length;
    const [from, to] = isDropped
      ? [end, end]
      : [input.current?.selectionStart ?? end, input.current?.selectionEnd ?? end];
    const written = insertPath(text, from, to, field.language ?? "value", path);
    onChange({ ...row, value: typedValue(row.value, written.text) });
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(written.caret, written.caret);
    });
  });
  return (
    <div className="map-rows__row" ref={ref}>
      <input
        className="input input--code"
        aria-label={`${label}: name of ${name}`}
        aria-invalid={fault ? true : undefined}
        placeholder="name"
        autoComplete="off"
        value={row.key}
        readOnly={field.isReadOnly}
        onFocus={target.onFocus}
        onChange={(event) => onChange({ ...row, key: event.target.value })}
      />
      <input
        ref={input}
        className="input"
        aria-label={`${label}: value of ${name}`}
        placeholder="value or {{ expression }}"
        autoComplete="off"
        value={valueText(row.value)}
        readOnly={field.isReadOnly}
        onChange={(event) => onChange({ ...row, value: typedValue(row.value, event.target.value) })}
        {...target}
      />
      {!field.isReadOnly && (
        <IconButton label={`Remove ${name} from ${label}`} icon="trash" onClick={onRemove} />
      )}
      {fault && <div className="field__fault">{fault}</div>}
    </div>
  );
}

function rowsIn({ value }: FormField): MapRow[] {
  return isObject(value) ? rowsOf(value) : [];
}
