/** Lines a dragged node up with its neighbours; not while Alt is held, and not in large workflows. */

import type { Node, NodeChange } from "@xyflow/react";
import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Box, Guide } from "../../model/layout/alignment";
import { align } from "../../model/layout/alignment";
import type { Position } from "../../model/workflow/workflow";

/** In pixels of the screen. */
const DISTANCE = 6;
/** More would slow the drag down. */
const MAX_NODES = 300;
const NO_GUIDES: readonly Guide[] = [];

export function useAlignment(nodes: readonly Node[]) {
  const flow = useReactFlow();
  const isOff = useAltKey();
  const [guides, setGuides] = useState<readonly Guide[]>(NO_GUIDES);
  const aligned = useRef(new Map<string, Position>());
  const alignChanges = useCallback(
    (changes: NodeChange[]): NodeChange[] => {
      const dragged = changes.filter((change) => change.type === "position" && change.dragging);
      const [change] = dragged;
      if (dragged.length === 0) return changes;
      const node = nodes.find(({ id }) => id === (change as { id: string }).id);
      aligned.current.clear();
      const canAlign = dragged.length === 1 && node && !node.parentId && nodes.length <= MAX_NODES;
      if (!canAlign || isOff.current || change?.type !== "position" || !change.position) {
        setGuides(NO_GUIDES);
        return changes;
      }
      const others = nodes.filter(({ id, parentId }) => id !== node.id && !parentId).map(boxOf);
      const own = { ...boxOf(node), ...change.position };
      const { x, y, guides: found } = align(own, others, DISTANCE / flow.getZoom());
      aligned.current.set(node.id, { x, y });
      setGuides(found.length ? found : NO_GUIDES);
      return changes.map((one) => (one === change ? { ...change, position: { x, y } } : one));
    },
    [flow, isOff, nodes],
  );
  /** Where the nodes of a finished drag are. */
  const endAlignment = useCallback((moved: readonly Node[]): Map<string, Position> => {
    setGuides(NO_GUIDES);
    const places = new Map(moved.map(({ id, position }) => [id, aligned.current.get(id) ?? position]));
    aligned.current.clear();
    return places;
  }, []);
  return { guides, alignChanges, endAlignment };
}

function boxOf({ position, measured, width, height }: Node): Box {
  return { ...position, width: measured?.width ?? width ?? 0, height: measured?.height ?? height ?? 0 };
}

function useAltKey() {
  const isHeld = useRef(false);
  useEffect(() => {
    const update = (event: KeyboardEvent | PointerEvent) => void (isHeld.current = event.altKey);
    const types = ["keydown", "keyup", "pointermove"] as const;
    for (const type of types) window.addEventListener(type, update, true);
    return () => {
      for (const type of types) window.removeEventListener(type, update, true);
    };
  }, []);
  return isHeld;
}
