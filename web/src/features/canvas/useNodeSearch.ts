/** Gestures on the canvas that open the node search, or on a node its menu: drops, double-click, right-click. */

import type { FinalConnectionState } from "@xyflow/react";
import { useReactFlow } from "@xyflow/react";
import type { MouseEvent as ReactMouseEvent } from "react";
import { useCallback, useMemo } from "react";
import type { Specs } from "../../model/workflow/catalog";
import { inputPorts, outputPorts } from "../../model/workflow/catalog";
import { connectPorts } from "../../model/workflow/edits";
import { INPUT_PORT, OUTPUT_PORT, nodeById } from "../../model/workflow/workflow";
import { openNodeSearch } from "../../state/nodeSearch";
import { useEditor } from "../../state/editorContext";

interface Point {
  clientX: number;
  clientY: number;
}

/** A click on a port shorter than this is no drag: the search appears beside the port. */
const CLICK_OFFSET_PX = 60;

export function useNodeSearch(specs: Specs, isReadOnly: boolean) {
  const editor = useEditor();
  const { screenToFlowPosition } = useReactFlow();
  const searchAt = useCallback(
    (event: Point) => {
      const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
      if (!isReadOnly) openNodeSearch({ kind: "place", at }, event);
    },
    [screenToFlowPosition, isReadOnly],
  );
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, { fromNode, fromHandle, toHandle }: FinalConnectionState) => {
      if (!fromNode || !fromHandle || toHandle || isReadOnly) return;
      const pointer = "changedTouches" in event ? event.changedTouches[0]! : event;
      const target = document.elementFromPoint(pointer.clientX, pointer.clientY);
      const isSource = fromHandle.type === "source";
      const over = target?.closest<HTMLElement>(".react-flow__node:not(.react-flow__node-group)");
      if (over?.dataset["id"] && over.dataset["id"] !== fromNode.id)
        return connectToNode(over.dataset["id"], fromNode.id, fromHandle.id ?? null, isSource);
      if (!target?.closest(".canvas") && target !== null) return;
      const port = fromHandle.id ?? (isSource ? OUTPUT_PORT : INPUT_PORT);
      const isClick = over?.dataset["id"] === fromNode.id;
      const shift = isClick ? (isSource ? CLICK_OFFSET_PX : -CLICK_OFFSET_PX) : 0;
      const at = screenToFlowPosition({ x: pointer.clientX + shift, y: pointer.clientY });
      openNodeSearch({ kind: isSource ? "from" : "to", node: fromNode.id, port, at }, pointer);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `connectToNode` depends on the same values
    [screenToFlowPosition, isReadOnly, specs, editor],
  );
  /** A connection dropped on a node goes to its first port. */
  const connectToNode = (dropped: string, from: string, port: string | null, isSource: boolean) =>
    editor.document.edit((now) => {
      const node = nodeById(now, dropped);
      if (!node) return now;
      if (isSource) {
        const [input] = inputPorts(node, specs);
        return input ? connectPorts(now, from, dropped, port ?? OUTPUT_PORT, input) : now;
      }
      const [output] = outputPorts(node, specs);
      return output ? connectPorts(now, dropped, from, output, port ?? INPUT_PORT) : now;
    });
  return useMemo(
    () => ({
      onConnectEnd,
      onPaneContextMenu: (event: ReactMouseEvent | MouseEvent) => {
        event.preventDefault();
        searchAt(event);
      },
      onEdgeContextMenu: (event: ReactMouseEvent, { id }: { id: string }) => {
        event.preventDefault();
        if (!isReadOnly) openNodeSearch({ kind: "edge", edge: id }, event);
      },
      onNodeContextMenu: (event: ReactMouseEvent, { id }: { id: string }) => {
        if (isReadOnly) return;
        event.preventDefault();
        if (!editor.document.selection.has(id)) editor.document.select([id]);
        const { currentTarget: node, clientX, clientY } = event;
        // The toolbar of a node is on the page once the node is selected.
        requestAnimationFrame(() => {
          const menu = node.querySelector<HTMLElement>(".step__toolbar [aria-haspopup=menu]");
          const click = { bubbles: true, cancelable: true, detail: 1, clientX, clientY };
          if (menu && menu.ariaExpanded !== "true") menu.dispatchEvent(new MouseEvent("click", click));
        });
      },
      onDoubleClick: (event: ReactMouseEvent) => {
        if ((event.target as Element).classList.contains("react-flow__pane")) searchAt(event);
      },
    }),
    [onConnectEnd, searchAt, isReadOnly, editor],
  );
}
