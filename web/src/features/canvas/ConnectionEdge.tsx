/** A connection; it is animated while data passes through it. */

import type { EdgeProps } from "@xyflow/react";
import { BaseEdge, EdgeLabelRenderer, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { useRunState } from "../../state/editorContext";

export const ConnectionEdge = memo(function ConnectionEdge(props: EdgeProps) {
  const { id, source, target, selected, label, markerEnd, data } = props;
  const [path, x, y] = getBezierPath(props);
  const isActive = useRunState(
    ({ statuses }) => statuses[target] === "running" && statuses[source] === "success",
  );
  const wasUsed = useRunState(
    ({ statuses }) => statuses[source] !== undefined && statuses[target] !== undefined,
  );
  const look = [
    "wire",
    selected ? "is-selected" : "",
    isActive ? "is-active" : "",
    wasUsed ? "was-used" : "",
    data?.["isInvalid"] ? "is-invalid" : "",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <>
      <BaseEdge id={id} path={path} markerEnd={markerEnd} className={look} interactionWidth={18} />
      {label && (
        <EdgeLabelRenderer>
          <div
            className="wire__label"
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
