/** Lets an input within a row receive a path that is clicked or dragged from the tree. */

import type { DragEvent } from "react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { FieldTarget } from "../../state/fieldTarget";
import { PATH_DRAG_TYPE, clearFieldTarget, isFieldTarget, setFieldTarget } from "../../state/fieldTarget";

export interface RowTarget {
  onFocus(): void;
  onDragOver(event: DragEvent): void;
  onDrop(event: DragEvent): void;
}

interface Inserted {
  path: string;
  /** The type of its value now; not known of a value that is dropped. */
  kind?: string | undefined;
  isDropped: boolean;
}

export function useRowTarget(label: string, insert: (inserted: Inserted) => void): RowTarget {
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  const insertLatest = useCallback(
    (path: string, kind?: string) => latest.current({ path, kind, isDropped: false }),
    [],
  );
  const target = useMemo<FieldTarget>(() => ({ label, insert: insertLatest }), [label, insertLatest]);
  // The label names the row, which can be renamed meanwhile.
  useEffect(() => {
    if (isFieldTarget(target)) setFieldTarget(target);
  }, [target]);
  useEffect(() => () => clearFieldTarget({ label: "", insert: insertLatest }), [insertLatest]);
  return {
    // After the field around it, which has no target of its own while it shows rows.
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
      insert({ path, isDropped: true });
    },
  };
}
