/** Adds a node where it makes sense: behind the selected one and connected, else in the middle. */

import type { CatalogEntry, Specs } from "../model/workflow/catalog";
import { inputPorts } from "../model/workflow/catalog";
import { currentWorkflow, documentStore, edit, select } from "./document";
import { addNode, connectNodes, nextOutputPort, createNode, dropNodes } from "../model/workflow/edits";
import { NODE_SIZE } from "../model/layout/geometry";
import { freePosition } from "../model/layout/placement";
import { canvasActions } from "./panels";
import type { Position, Workflow, WorkflowNode } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";

const GAP_X = 60;

export function addEntry(entry: CatalogEntry, specs: Specs, at?: Position): string | null {
  const workflow = currentWorkflow();
  if (!workflow) return null;
  const before = at ? undefined : selectedNode(workflow);
  const node = createNode(workflow, entry, at ?? positionFor(workflow, before));
  const joins =
    before && inputPorts(node, specs).length > 0 && nextOutputPort(workflow, before, specs) !== undefined;
  edit((current) => {
    const grown = addNode(
      current,
      before?.parentId && node.type !== "group" ? { ...node, parentId: before.parentId } : node,
    );
    // Dropped on a group it stands in it.
    if (at) return dropNodes(grown, new Map([[node.id, node.position ?? at]]));
    return joins ? connectNodes(grown, before.id, node.id, specs) : grown;
  });
  select([node.id]);
  canvasActions()?.focus(node.id);
  return node.id;
}

function selectedNode(workflow: Workflow): WorkflowNode | undefined {
  const { selection } = documentStore.getState();
  if (selection.size !== 1) return undefined;
  const node = nodeById(workflow, [...selection][0]!);
  return node?.type === "group" ? undefined : node;
}

function positionFor(workflow: Workflow, before: WorkflowNode | undefined): Position {
  const center = canvasActions()?.center() ?? { x: 0, y: 0 };
  const from = before?.position;
  const wanted = from
    ? { x: from.x + NODE_SIZE.width + GAP_X, y: from.y }
    : { x: center.x - NODE_SIZE.width / 2, y: center.y - NODE_SIZE.height / 2 };
  return freePosition(workflow, wanted, before?.parentId);
}
