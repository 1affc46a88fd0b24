/** Adds a node where it makes sense: behind the selected one and connected, else in the middle. */

import type { Entry, Specs } from "./catalog";
import { inPorts } from "./catalog";
import { currentWorkflow, documentStore, edit, select } from "./documentStore";
import { addNode, connectNodes, freePort, nodeOf, settle } from "./edits";
import { NODE_SIZE } from "./geometry";
import { canvasActions } from "./viewStore";
import type { Position, Workflow, WorkflowNode } from "./workflow";
import { nodeById } from "./workflow";

const GAP = { x: 60, y: 26 };

export function addEntry(entry: Entry, specs: Specs, at?: Position): string | null {
  const workflow = currentWorkflow();
  if (!workflow) return null;
  const before = at ? undefined : selectedStep(workflow);
  const node = nodeOf(workflow, entry, at ?? placeFor(workflow, before));
  const joins = before && inPorts(node, specs).length > 0 && freePort(workflow, before, specs) !== undefined;
  edit((current) => {
    const grown = addNode(current, before?.parentId && node.type !== "group" ? { ...node, parentId: before.parentId } : node);
    // Dropped on a group it stands in it.
    if (at) return settle(grown, new Map([[node.id, node.position ?? at]]));
    return joins ? connectNodes(grown, before.id, node.id, specs) : grown;
  });
  select([node.id]);
  canvasActions()?.focus(node.id);
  return node.id;
}

function selectedStep(workflow: Workflow): WorkflowNode | undefined {
  const { selection } = documentStore.getState();
  if (selection.size !== 1) return undefined;
  const node = nodeById(workflow, [...selection][0]!);
  return node?.type === "group" ? undefined : node;
}

function placeFor(workflow: Workflow, before: WorkflowNode | undefined): Position {
  const center = canvasActions()?.center() ?? { x: 0, y: 0 };
  const from = before?.position;
  const wanted = from
    ? { x: from.x + NODE_SIZE.width + GAP.x, y: from.y }
    : { x: center.x - NODE_SIZE.width / 2, y: center.y - NODE_SIZE.height / 2 };
  return free(workflow, wanted, before?.parentId);
}

/** The first place below that nobody stands on. */
function free(workflow: Workflow, wanted: Position, parentId: string | undefined): Position {
  const there = workflow.nodes.filter((node) => node.parentId === parentId && node.type !== "group");
  let { x, y } = wanted;
  const isTaken = () =>
    there.some(({ position }) => position && Math.abs(position.x - x) < NODE_SIZE.width && Math.abs(position.y - y) < NODE_SIZE.height);
  while (isTaken()) y += NODE_SIZE.height + GAP.y;
  return { x, y };
}
