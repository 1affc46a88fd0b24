import type { Edge, Node } from "@xyflow/react";
import { useMemo } from "react";
import type { Mark } from "../../model/workflow/review";

/** The elements with a class for their mark; without marks, the same list. */
export function useMarked<Item extends Node | Edge>(
  items: Item[],
  marks: ReadonlyMap<string, Mark> | undefined,
): Item[] {
  return useMemo(
    () =>
      marks
        ? items.map((item) =>
            marks.has(item.id) ? { ...item, className: `marked marked--${marks.get(item.id)!}` } : item,
          )
        : items,
    [items, marks],
  );
}
