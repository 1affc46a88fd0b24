import { ViewportPortal } from "@xyflow/react";
import type { Guide } from "../../model/layout/alignment";

export function AlignmentGuides({ guides }: { guides: readonly Guide[] }) {
  if (guides.length === 0) return null;
  return (
    <ViewportPortal>
      {guides.map(({ axis, at, from, to }) => (
        <div
          key={axis}
          className={`guide guide--${axis}`}
          style={
            axis === "x"
              ? { transform: `translate(${at}px, ${from}px)`, height: to - from }
              : { transform: `translate(${from}px, ${at}px)`, width: to - from }
          }
        />
      ))}
    </ViewportPortal>
  );
}
