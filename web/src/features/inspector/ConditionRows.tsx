/** A condition as rows of field, operator and value, with groups joined by AND or OR. */

import { useEffect, useId, useRef, useState } from "react";
import type { ConditionGroup, ConditionRow, Operand, Operator } from "../../model/form/conditions";
import {
  EMPTY_ROW,
  OPERATOR_TITLES,
  UNARY,
  asTyped,
  isGroup,
  isPath,
  parseCondition,
  printCondition,
} from "../../model/form/conditions";
import type { FieldTarget } from "../../state/fieldTarget";
import { PATH_DRAG_TYPE, clearFieldTarget, setFieldTarget } from "../../state/fieldTarget";
import { Button, IconButton } from "../../ui/Button";
import type { BuilderProps } from "./builderKind";
import { ExpressionPreview } from "./ExpressionPreview";
import type { FormField } from "./formContext";

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
      {text.trim() !== "" && (
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
          <div key={at} className="condition__group" role="group" aria-label={`${title} group ${at + 1}`}>
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
          <Button
            look="quiet"
            icon="plus"
            onClick={() => onChange({ ...group, items: [...group.items, EMPTY_ROW] })}
          >
            Add condition
          </Button>
          {canNest && (
            <Button
              look="quiet"
              icon="plus"
              onClick={() =>
                onChange({
                  ...group,
                  items: [...group.items, { join: inner, items: [EMPTY_ROW, EMPTY_ROW] }],
                })
              }
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
  row: ConditionRow;
  title: string;
  names: FormField;
  canRemove: boolean;
  onChange(row: ConditionRow): void;
  onRemove(): void;
}

function Row({ row, title, names, canRemove, onChange, onRemove }: RowProps) {
  const list = useId();
  const isWrong = row.field.trim() !== "" && !isPath(row.field);
  const typeOf = (path: string) => names.names.offers.find((offer) => offer.path === path)?.kind;
  const setField = (field: string) => onChange(asTyped({ ...row, field }, typeOf(field)));
  const setOperator = (operator: Operator) => onChange(asTyped({ ...row, operator }, typeOf(row.field)));
  // Only at the first character, so that a text can be chosen for a number.
  const setValue = (value: Operand) =>
    onChange(row.value.text === "" ? asTyped({ ...row, value }, typeOf(row.field)) : { ...row, value });
  const fieldTarget = useTarget(`the field of ${title}`, setField);
  const valueTarget = useTarget(`the value of ${title}`, (path) => setValue({ kind: "other", text: path }));
  return (
    <div className="condition__row">
      <input
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
        <ValueInput
          title={title}
          value={row.value}
          isReadOnly={names.isReadOnly}
          onChange={setValue}
          target={valueTarget}
        />
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
  target: TargetProps;
}

/** A text, or a number, true, false, null or another field. */
function ValueInput({ title, value, isReadOnly, onChange, target }: ValueProps) {
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

interface TargetProps {
  onFocus(): void;
  onDragOver(event: React.DragEvent): void;
  onDrop(event: React.DragEvent): void;
}

/** Lets an input receive a path that is clicked or dragged from the tree. */
function useTarget(label: string, insert: (path: string) => void): TargetProps {
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  const [target] = useState<FieldTarget>(() => ({ label, insert: (path) => latest.current(path) }));
  useEffect(() => () => clearFieldTarget(target), [target]);
  return {
    // After the field around it, which would insert into the expression.
    onFocus: () => queueMicrotask(() => setFieldTarget(target)),
    onDragOver(event) {
      if (!event.dataTransfer.types.includes(PATH_DRAG_TYPE)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    onDrop(event) {
      const path = event.dataTransfer.getData(PATH_DRAG_TYPE);
      if (!path) return;
      event.preventDefault();
      event.stopPropagation();
      insert(path);
    },
  };
}
