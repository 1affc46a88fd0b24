/** A connection: animated while data passes, with the number of items after a run, and buttons on hover. */

import type { EdgeProps } from "@xyflow/react";
import type { RefObject } from "react";
import { BaseEdge, EdgeLabelRenderer, getBezierPath, getSmoothStepPath } from "@xyflow/react";
import { memo, useEffect, useRef, useState } from "react";
import { outputItems } from "../../model/run/nodeOutput";
import { countOf } from "../../model/text/formatValue";
import { removeItems } from "../../model/workflow/edits";
import type { ChangeKind } from "../../model/workflow/versionDifference";
import { openNodeSearch } from "../../state/nodeSearch";
import { useDocument, useEditor, useRunState } from "../../state/editorContext";

/** How far a connection to an earlier node goes below both nodes. */
const BACK_EDGE_DROP = 90;
/** Shorter connections have no room for more than a number. */
const MIN_WIDTH_FOR_WORDS = 90;

export const ConnectionEdge = memo(function ConnectionEdge(props: EdgeProps) {
  const { id, source, target, selected, label, data } = props;
  const line = useRef<SVGGElement>(null);
  const isHovered = useHover(line);
  const [path, x, y] = edgePath(props);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  const change = useEditor().changes.get(id);
  const runState = useEdgeState(source, target, data?.["isInvalid"] === true, selected === true);
  const state = change ?? runState;
  const items = useRunState(({ run }) => (state === "used" ? outputItems(run, source) : null));
  const isShort = Math.abs(props.targetX - props.sourceX) < MIN_WIDTH_FOR_WORDS;
  const count = items === null ? "" : isShort ? String(items) : countOf(items, "item");
  const text = [label, count].filter(Boolean).join(" · ");
  return (
    <g ref={line}>
      <BaseEdge
        id={id}
        path={path}
        markerEnd={`url(#arrow-${state})`}
        className={`wire is-${state}`}
        interactionWidth={24}
      />
      {text && !isHovered && (
        <EdgeLabelRenderer>
          <div
            className={items === null ? "wire__label" : "wire__label wire__label--items"}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {text}
          </div>
        </EdgeLabelRenderer>
      )}
      {isHovered && !isReadOnly && <EdgeButtons id={id} x={x} y={y} isShort={isShort} />}
    </g>
  );
});

/** Whether the pointer is over the connection, also over its ends, which are drawn beside the line. */
function useHover(line: RefObject<SVGGElement | null>): boolean {
  const [isHovered, setHovered] = useState(false);
  useEffect(() => {
    const whole = line.current?.parentElement;
    const enter = () => setHovered(true);
    const leave = () => setHovered(false);
    whole?.addEventListener("mouseenter", enter);
    whole?.addEventListener("mouseleave", leave);
    return () => {
      whole?.removeEventListener("mouseenter", enter);
      whole?.removeEventListener("mouseleave", leave);
    };
  }, [line]);
  return isHovered;
}

type EdgeState = "idle" | "active" | "used" | "invalid" | "selected" | ChangeKind;

/** The states that have an arrowhead of their own, because an arrowhead cannot take the colour of its line. */
export const EDGE_STATES: readonly EdgeState[] = [
  ...(["idle", "active", "used", "invalid", "selected"] as const),
  ...(["added", "removed", "changed"] as const),
];

function useEdgeState(source: string, target: string, isInvalid: boolean, isSelected: boolean): EdgeState {
  return useRunState(({ statuses }) => {
    if (isSelected) return "selected";
    if (isInvalid) return "invalid";
    const [from, to] = [statuses[source], statuses[target]];
    if (to === "running" && from === "success") return "active";
    return from === "success" && to !== undefined && to !== "skipped" ? "used" : "idle";
  });
}

/** Connections to an earlier node go around below the nodes between. */
function edgePath(props: EdgeProps): [string, number, number] {
  const { sourceX, targetX, sourceY, targetY } = props;
  if (targetX >= sourceX - 20) {
    const [path, x, y] = getBezierPath(props);
    return [path, x, y];
  }
  const centerY = Math.max(sourceY, targetY) + BACK_EDGE_DROP;
  const [path, x] = getSmoothStepPath({ ...props, borderRadius: 16, offset: 28, centerY });
  return [path, x, centerY];
}

interface EdgeButtonsProps {
  id: string;
  x: number;
  y: number;
  isShort: boolean;
}

/** Inserts a node into the connection, or deletes it. Keyboard users have commands for both. */
function EdgeButtons({ id, x, y, isShort }: EdgeButtonsProps) {
  const editor = useEditor();
  // Side by side they would cover the ends of a short connection, which can be dragged.
  const [right, down] = isShort ? [0, 13] : [14, 0];
  return (
    <g className="wire__buttons">
      <EdgeButton
        label="Insert a node here"
        x={x - right}
        y={y - down}
        onPress={(event) => openNodeSearch({ kind: "edge", edge: id }, event)}
        path="M-4 0h8M0-4v8"
      />
      <EdgeButton
        label="Delete the connection"
        x={x + right}
        y={y + down}
        onPress={() => editor.document.edit((now) => removeItems(now, new Set([id])))}
        path="M-3.500-3.500l7 7M3.500-3.500l-7 7"
      />
    </g>
  );
}

interface EdgeButtonProps {
  label: string;
  x: number;
  y: number;
  path: string;
  onPress(event: { clientX: number; clientY: number }): void;
}

function EdgeButton({ label, x, y, path, onPress }: EdgeButtonProps) {
  return (
    <g
      className="wire__button"
      role="button"
      aria-label={label}
      transform={`translate(${x} ${y})`}
      onClick={(event) => {
        event.stopPropagation();
        onPress(event);
      }}
    >
      <title>{label}</title>
      <circle r="11" />
      <path d={path} />
    </g>
  );
}
