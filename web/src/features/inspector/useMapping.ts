/** Lets a field receive values that are clicked or dragged from a tree. */

import type { DragEvent, FocusEvent, RefObject } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { inBraces, insertInJson, insertPath } from "../../model/form/insertion";
import type { FieldTarget } from "../../state/fieldTarget";
import { PATH_DRAG_TYPE, clearFieldTarget, leaveFieldTarget, setFieldTarget } from "../../state/fieldTarget";
import type { FormField } from "./formContext";
import type { Point } from "./textTarget";
import { caretAt, textTarget, writeText } from "./textTarget";

interface MappingOptions {
  label: string;
  field: FormField;
  /** Whether the value is a text, into which an expression can be inserted anywhere. */
  isText: boolean;
  /** Whether it is written as JSON, into which an expression can be inserted as well. */
  isJson: boolean;
}

/** Shows rows or a choice, whose own inputs take values or none: the whole value must not be replaced. */
const BUILT = ":scope > [data-built]";

/** The properties of the element around a field. */
export interface MappingProps {
  ref: RefObject<HTMLDivElement | null>;
  onFocus(event: FocusEvent): void;
  onDragOver(event: DragEvent): void;
  onDragLeave(): void;
  onDrop(event: DragEvent): void;
  "data-mapping": true;
  "data-drop"?: "over";
}

export function useMapping({ label, field, isText, isJson }: MappingOptions): MappingProps {
  const element = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const canReceive = () =>
    !field.isReadOnly && field.language !== null && !element.current?.querySelector(BUILT);
  const insert = (path: string, drop: Point | null) => {
    const language = field.language ?? "value";
    const target = textTarget(element.current);
    const json = isJson && target?.control?.value ? target.control : null;
    if (json) {
      const range = (drop && caretAt(json, drop)) ?? target!.selection();
      const { text, caret } = insertInJson(json.value, range, language, path);
      return writeText(json, text, caret);
    }
    if (!isText) {
      field.set(inBraces(path, language));
      return void focusSoon(element.current, null);
    }
    const text = typeof field.value === "string" ? field.value : "";
    const end = text.length;
    const [from, to] = !target || (drop && !target.takesDrops) ? [end, end] : target.selection();
    const written = insertPath(text, from, to, language, path);
    field.set(written.text);
    focusSoon(element.current, written.caret);
  };
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  const fieldTarget = useMemo<FieldTarget>(
    () => ({ label, insert: (path) => latest.current(path, null) }),
    [label],
  );
  useEffect(() => () => clearFieldTarget(fieldTarget), [fieldTarget]);
  return {
    ref: element,
    "data-mapping": true,
    onFocus(event) {
      // The focus of a nested field arrives here as well.
      const isOwn = (event.target as HTMLElement).closest("[data-mapping]") === element.current;
      if (!isOwn || field.isReadOnly) return;
      if (canReceive()) setFieldTarget(fieldTarget);
      else leaveFieldTarget();
    },
    onDragOver(event) {
      if (!canReceive() || !event.dataTransfer.types.includes(PATH_DRAG_TYPE)) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = "copy";
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event) {
      setOver(false);
      const path = event.dataTransfer.getData(PATH_DRAG_TYPE);
      if (!canReceive() || !path) return;
      event.preventDefault();
      event.stopPropagation();
      insert(path, { x: event.clientX, y: event.clientY });
    },
    ...(isOver ? { "data-drop": "over" as const } : {}),
  };
}

/** After the field was rendered with its new value; another control may have taken its place. */
function focusSoon(element: HTMLElement | null, caret: number | null): void {
  requestAnimationFrame(() => textTarget(element)?.focusAt(caret));
}
