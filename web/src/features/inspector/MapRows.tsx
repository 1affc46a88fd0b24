/** An object as rows of a name and a value. */

import type { RefObject } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { hasExpression } from "../../model/form/expressionTokens";
import { insertPath } from "../../model/form/insertion";
import type { MapRow } from "../../model/form/mapRows";
import { objectOf, rowFault, rowsOf, typedValue, valueText } from "../../model/form/mapRows";
import { isObject, pointerOf } from "../../model/form/values";
import { Button, IconButton } from "../../ui/Button";
import type { FieldAria } from "../../ui/Field";
import { useFocusOfAdded } from "./ArrayField";
import type { BuilderProps } from "./builderKind";
import { ExpressionBox } from "./ExpressionBox";
import { ExpressionPreview } from "./ExpressionPreview";
import type { FormField } from "./formContext";
import { textTarget } from "./textTarget";
import { useRowTarget } from "./useRowTarget";

const EMPTY: MapRow = { key: "", value: "" };
const NO_ARIA: FieldAria = { "aria-describedby": undefined, "aria-invalid": undefined };
const NO_CODES: ReadonlySet<string> = new Set();

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
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  const text = valueText(row.value);
  const language = field.language ?? "value";
  const type = (typed: string) => onChange({ ...row, value: typedValue(row.value, typed) });
  const target = useRowTarget(`the value of ${name}`, ({ path, isDropped }) => {
    const control = textTarget(element.current);
    const end = text.length;
    const [from, to] = !control || (isDropped && !control.takesDrops) ? [end, end] : control.selection();
    const written = insertPath(text, from, to, language, path);
    type(written.text);
    requestAnimationFrame(() => textTarget(element.current)?.focusAt(written.caret));
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
      <div ref={element} {...target}>
        <ExpressionBox
          id={id}
          label={`${label}: value of ${name}`}
          hasNoLabel
          text={text}
          language={language}
          names={field.names}
          isLong={false}
          isCode={false}
          isReadOnly={field.isReadOnly}
          placeholder="value or {{ expression }}"
          said={NO_ARIA}
          onType={type}
          onLeave={field.settle}
        />
      </div>
      {!field.isReadOnly && (
        <IconButton label={`Remove ${name} from ${label}`} icon="trash" onClick={onRemove} />
      )}
      {fault && <div className="field__fault">{fault}</div>}
      {hasExpression(text, language) && row.key !== "" && (
        <ExpressionPreview
          node={field.node}
          field={`${field.pointer}${pointerOf([row.key])}`}
          text={text}
          language={language}
          shownCodes={NO_CODES}
        />
      )}
    </div>
  );
}

function rowsIn({ value }: FormField): MapRow[] {
  return isObject(value) ? rowsOf(value) : [];
}
