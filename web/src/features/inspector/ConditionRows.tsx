/** A condition as rows of field, operator and value, with groups joined by AND or OR. */

import type { RefObject } from "react";
import { useEffect, useId, useRef, useState } from "react";
import type { ConditionGroup, ConditionRow, Operand, Operator } from "../../model/form/conditions";
import {
  EMPTY_ROW,
  OPERATOR_TITLES,
  UNARY,
  asTyped,
  isGroup,
  isPath,
  isTyped,
  lacksValue,
  parseCondition,
  printCondition,
  withKind,
} from "../../model/form/conditions";
import { Button, IconButton } from "../../ui/Button";
import { useFocusOfAdded } from "./ArrayField";
import type { BuilderProps } from "./builderKind";
import { ExpressionPreview } from "./ExpressionPreview";
import type { FormField } from "./formContext";
import { useRowTarget } from "./useRowTarget";

const JOINS = [
  { join: "and", title: "All of these" },
  { join: "or", title: "Any of these" },
] as const;

export function ConditionRows({ label, field, describedBy }: BuilderProps) {
  const text = typeof field.value === "string" ? field.value : "";
  const [group, setGroup] = useState(() => readGroup(text));
  const written = useRef(text);
  // Undo, a mapped value or the expression changed it elsewhere.
  useEffect(() => {
    if (text === written.current) return;
    written.current = text;
    setGroup(readGroup(text));
  }, [text]);
  const change = (next: ConditionGroup) => {
    setGroup(next);
    const printed = printCondition(next);
    written.current = printed;
    field.type(printed === "" ? undefined : printed);
  };
  return (
    <div
      className="condition"
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
      onBlur={field.settle}
    >
      <Group group={group} title="Condition" canNest names={field} onChange={change} />
      {lacksValue(group) && <p className="preview preview--none">Enter a value to compare with.</p>}
      {text.trim() !== "" && !lacksValue(group) && (
        <ExpressionPreview
          node={field.node}
          field={field.pointer}
          text={text}
          language={field.language ?? "own"}
          shownCodes={new Set(field.problems.map(({ code }) => code))}
        />
      )}
    </div>
  );
}

function readGroup(text: string): ConditionGroup {
  const parsed = parseCondition(text);
  const group = "group" in parsed ? parsed.group : { join: "and" as const, items: [] };
  return group.items.length > 0 ? group : { ...group, items: [EMPTY_ROW] };
}

interface GroupProps {
  group: ConditionGroup;
  title: string;
  canNest?: boolean;
  names: FormField;
  onChange(group: ConditionGroup): void;
}

function Group({ group, title, canNest = false, names, onChange }: GroupProps) {
  const set = (at: number, item: ConditionRow | ConditionGroup) =>
    onChange({ ...group, items: group.items.map((old, index) => (index === at ? item : old)) });
  const remove = (at: number) =>
    onChange({ ...group, items: group.items.filter((_, index) => index !== at) });
  const inner = group.join === "and" ? "or" : "and";
  const added = useFocusOfAdded(group.items.length, "input");
  const add = (item: ConditionRow | ConditionGroup) => {
    added.wasAdded();
    onChange({ ...group, items: [...group.items, item] });
  };
  const refAt = (at: number) => (at === group.items.length - 1 ? added.ref : undefined);
  return (
    <>
      {group.items.length > 1 && (
        <select
          className="select condition__join"
          aria-label={`${title}: all or any`}
          value={group.join}
          disabled={names.isReadOnly}
          onChange={(event) => onChange(withJoin(group, event.target.value as ConditionGroup["join"]))}
        >
          {JOINS.map(({ join, title: shown }) => (
            <option key={join} value={join}>
              {shown}
            </option>
          ))}
        </select>
      )}
      {group.items.map((item, at) =>
        isGroup(item) ? (
          <div
            key={at}
            ref={refAt(at)}
            className="condition__group"
            role="group"
            aria-label={`${title} group ${at + 1}`}
          >
            <Group
              group={item}
              title={`${title} group ${at + 1}`}
              names={names}
              onChange={(next) => (next.items.length === 0 ? remove(at) : set(at, next))}
            />
          </div>
        ) : (
          <Row
            key={at}
            ref={refAt(at)}
            row={item}
            title={`${title} ${at + 1}`}
            names={names}
            canRemove={group.items.length > 1 || !canNest}
            onChange={(row) => set(at, row)}
            onRemove={() => remove(at)}
          />
        ),
      )}
      {!names.isReadOnly && (
        <div className="row">
          <Button look="quiet" icon="plus" onClick={() => add(EMPTY_ROW)}>
            Add condition
          </Button>
          {canNest && (
            <Button
              look="quiet"
              icon="plus"
              onClick={() => add({ join: inner, items: [EMPTY_ROW, EMPTY_ROW] })}
            >
              Add group
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Groups within take the other word, else they would be the same list. */
function withJoin(group: ConditionGroup, join: ConditionGroup["join"]): ConditionGroup {
  const inner = join === "and" ? "or" : "and";
  return { join, items: group.items.map((item) => (isGroup(item) ? { ...item, join: inner } : item)) };
}

interface RowProps {
  ref: RefObject<HTMLDivElement | null> | undefined;
  row: ConditionRow;
  title: string;
  names: FormField;
  canRemove: boolean;
  onChange(row: ConditionRow): void;
  onRemove(): void;
}

function Row({ ref, row, title, names, canRemove, onChange, onRemove }: RowProps) {
  const list = useId();
  const isWrong = row.field.trim() !== "" && !isPath(row.field);
  const typeOf = (path: string) => names.names.offers.find((offer) => offer.path === path)?.kind;
  const setField = (field: string) => onChange(asTyped({ ...row, field }, typeOf(field)));
  const setOperator = (operator: Operator) => onChange(asTyped({ ...row, operator }, typeOf(row.field)));
  // Where it was a number before, the person chose that it is a text.
  const setValue = (value: Operand) =>
    onChange(isTyped(row.value.text) ? { ...row, value } : asTyped({ ...row, value }, typeOf(row.field)));
  const fieldInput = useRef<HTMLInputElement>(null);
  const fieldTarget = useRowTarget(`the field of ${title}`, ({ path, kind }) => {
    onChange(withKind({ ...row, field: path }, kind ?? typeOf(path)));
    fieldInput.current?.focus();
  });
  return (
    <div className="condition__row" ref={ref}>
      <input
        ref={fieldInput}
        className="input input--code condition__field"
        aria-label={`${title}: field`}
        aria-invalid={isWrong || undefined}
        placeholder="data.name"
        list={list}
        autoComplete="off"
        value={row.field}
        readOnly={names.isReadOnly}
        onChange={(event) => setField(event.target.value)}
        {...fieldTarget}
      />
      <datalist id={list}>
        {names.names.offers.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <select
        className="select condition__operator"
        aria-label={`${title}: operator`}
        value={row.operator}
        disabled={names.isReadOnly}
        onChange={(event) => setOperator(event.target.value as Operator)}
      >
        {Object.entries(OPERATOR_TITLES).map(([operator, shown]) => (
          <option key={operator} value={operator}>
            {shown}
          </option>
        ))}
      </select>
      {!UNARY.has(row.operator) && (
        <ValueInput title={title} value={row.value} isReadOnly={names.isReadOnly} onChange={setValue} />
      )}
      {canRemove && !names.isReadOnly && (
        <IconButton label={`Remove ${title}`} icon="trash" onClick={onRemove} />
      )}
      {isWrong && <div className="field__fault condition__fault">Enter a name such as data.city</div>}
    </div>
  );
}

interface ValueProps {
  title: string;
  value: Operand;
  isReadOnly: boolean;
  onChange(value: Operand): void;
}

/** A text, or a number, true, false, null or another field. */
function ValueInput({ title, value, isReadOnly, onChange }: ValueProps) {
  const input = useRef<HTMLInputElement>(null);
  const target = useRowTarget(`the value of ${title}`, ({ path }) => {
    onChange({ kind: "other", text: path });
    input.current?.focus();
  });
  return (
    <span className="condition__value">
      <select
        className="select"
        aria-label={`${title}: kind of value`}
        value={value.kind}
        title="A text, or a number, true, false, null or another field"
        disabled={isReadOnly}
        onChange={(event) => onChange({ ...value, kind: event.target.value as Operand["kind"] })}
      >
        <option value="text">Text</option>
        <option value="other">Value</option>
      </select>
      <input
        ref={input}
        className={value.kind === "text" ? "input" : "input input--code"}
        aria-label={`${title}: value`}
        autoComplete="off"
        value={value.text}
        readOnly={isReadOnly}
        onChange={(event) => onChange({ ...value, text: event.target.value })}
        {...target}
      />
    </span>
  );
}
