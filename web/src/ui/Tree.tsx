/** A tree of values: one tab stop, arrow keys to move, Enter to choose, drag to take a value elsewhere. */

import type { DragEvent, KeyboardEvent } from "react";
import { useRef, useState } from "react";
import "./tree.css";

export interface TreeItem {
  /** Identifies the item; also what is chosen. */
  path: string;
  label: string;
  kind: string;
  summary: string;
  isJsonText?: boolean;
  hidden?: number;
  children: () => TreeItem[];
}

interface Props {
  label: string;
  items: readonly TreeItem[];
  /** The paths that are open at first. */
  open: ReadonlySet<string>;
  /** Only these items are shown; all if it is undefined. */
  only?: ReadonlySet<string> | undefined;
  /** The type of the data of a drag; without it nothing can be dragged. */
  dragType?: string;
  /** Says what choosing an item does, for its tooltip. */
  chooseTitle?: string;
  onChoose?(path: string, kind: string): void;
}

interface Row {
  item: TreeItem;
  level: number;
  position: number;
  size: number;
  parts: TreeItem[];
}

function visibleRows(
  items: readonly TreeItem[],
  isOpen: (path: string) => boolean,
  only: ReadonlySet<string> | undefined,
  level = 1,
): Row[] {
  const shown = only ? items.filter(({ path }) => only.has(path)) : items;
  return shown.flatMap((item, index) => {
    const parts = item.children();
    const row = { item, level, position: index + 1, size: shown.length, parts };
    return isOpen(item.path) ? [row, ...visibleRows(parts, isOpen, only, level + 1)] : [row];
  });
}

export function Tree({ label, items, open, only, dragType, chooseTitle, onChoose }: Props) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  // A search opens everything that it found.
  const isOpen = (path: string) => (only ? only.has(path) : open.has(path)) !== toggled.has(path);
  const rows = visibleRows(items, isOpen, only);
  const at = Math.max(
    0,
    rows.findIndex(({ item }) => item.path === current),
  );
  const toggle = (path: string) =>
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  const focusRow = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    setCurrent(row.item.path);
    const found = list.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[rows.indexOf(row)];
    found?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const { path, kind } = row.item;
    const canOpen = row.parts.length > 0;
    const parent = rows.findLastIndex(({ level }, index) => index < at && level < row.level);
    const move: Record<string, () => void> = {
      ArrowDown: () => focusRow(at + 1),
      ArrowUp: () => focusRow(at - 1),
      Home: () => focusRow(0),
      End: () => focusRow(rows.length - 1),
      ArrowRight: () => (canOpen && !isOpen(path) ? toggle(path) : focusRow(at + 1)),
      ArrowLeft: () => (canOpen && isOpen(path) ? toggle(path) : parent >= 0 && focusRow(parent)),
      Enter: () => (onChoose ? onChoose(path, kind) : canOpen && toggle(path)),
      " ": () => (canOpen ? toggle(path) : onChoose?.(path, kind)),
    };
    const action = event.altKey ? undefined : move[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <div ref={list} className="tree" role="tree" aria-label={label} onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <TreeRow
          key={row.item.path}
          row={row}
          isOpen={isOpen(row.item.path)}
          isCurrent={index === at}
          dragType={dragType}
          chooseTitle={chooseTitle}
          onToggle={() => toggle(row.item.path)}
          onFocus={() => setCurrent(row.item.path)}
          onChoose={onChoose}
        />
      ))}
    </div>
  );
}

const MARKS: Readonly<Record<string, string>> = {
  string: "T",
  number: "#",
  integer: "#",
  boolean: "✓",
  object: "{}",
  array: "[]",
  null: "∅",
};

interface RowProps {
  row: Row;
  isOpen: boolean;
  isCurrent: boolean;
  dragType: string | undefined;
  chooseTitle: string | undefined;
  onToggle(): void;
  onFocus(): void;
  onChoose: ((path: string, kind: string) => void) | undefined;
}

function TreeRow(props: RowProps) {
  const { row, isOpen, isCurrent, dragType, chooseTitle, onToggle, onFocus, onChoose } = props;
  const { item, level, parts } = row;
  const canOpen = parts.length > 0;
  const onDragStart = (event: DragEvent) => {
    if (!dragType) return;
    event.dataTransfer.setData(dragType, item.path);
    event.dataTransfer.effectAllowed = "copy";
  };
  return (
    <div
      role="treeitem"
      className={`tree__row tree__row--${Math.min(level, 8)}`}
      aria-level={level}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={canOpen ? isOpen : undefined}
      tabIndex={isCurrent ? 0 : -1}
      draggable={dragType !== undefined}
      title={chooseTitle ? `${item.path}\n${chooseTitle}` : item.path}
      onDragStart={onDragStart}
      onFocus={onFocus}
      onClick={() => (onChoose ? onChoose(item.path, item.kind) : canOpen && onToggle())}
    >
      <span
        className="tree__sign"
        aria-hidden="true"
        onClick={(event) => canOpen && (event.stopPropagation(), onToggle())}
      >
        {canOpen ? (isOpen ? "▾" : "▸") : ""}
      </span>
      <span className={`tree__kind tree__kind--${item.kind}`} aria-hidden="true">
        {MARKS[item.kind] ?? "·"}
      </span>
      <span className="tree__label">{item.label}</span>
      <span className="tree__value">
        <span className="tree__summary">{item.summary}</span>
        {item.isJsonText && <span className="tree__note">JSON in text</span>}
        {item.hidden ? <span className="tree__note">{item.hidden} more not listed</span> : null}
      </span>
      <span className="visually-hidden">{item.kind}</span>
    </div>
  );
}
