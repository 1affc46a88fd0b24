/** Between the start and the end of a new workflow: a button that adds the first step. */

import { ViewportPortal } from "@xyflow/react";
import { NODE_SIZE, PILL_WIDTH } from "../../model/layout/geometry";
import type { Workflow } from "../../model/workflow/workflow";
import { runCommand } from "../../state/commands";
import { Icon } from "../../ui/Icon";

const MIN_ROOM = 120;

export function FirstStep({ workflow: { nodes, connections } }: { workflow: Workflow }) {
  const [start, end] = ["start", "end"].map((type) => nodes.find((node) => node.type === type));
  const [from, to] = [start?.position, end?.position];
  if (!start || !from || !to || nodes.length > 2 || connections.length > 0) return null;
  const left = from.x + PILL_WIDTH;
  const y = from.y + NODE_SIZE.height / 2;
  if (to.x - left < MIN_ROOM) return null;
  return (
    <ViewportPortal>
      <button
        type="button"
        className="first-step nodrag nopan"
        style={{ transform: `translate(-50%, -50%) translate(${(left + to.x) / 2}px, ${y}px)` }}
        title="Add a node or a tool (A)"
        onClick={() => runCommand("add")}
      >
        <Icon name="plus" size={14} /> Add first step
      </button>
    </ViewportPortal>
  );
}
