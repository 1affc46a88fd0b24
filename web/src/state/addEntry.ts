/** Adds a node where it is expected: after the selected node and connected to it, else in the middle. */

import { NODE_SIZE } from "../model/layout/geometry";
import { freePosition } from "../model/layout/placement";
import type { CatalogEntry, Specs } from "../model/workflow/catalog";
import { inputPorts } from "../model/workflow/catalog";
import { addNode, connectNodes, createNode, dropNodes, nextOutputPort } from "../model/workflow/edits";
import type { Position, WorkflowNode } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";
import type { Editor } from "./editor";

const GAP_X = 60;

export function addEntry(editor: Editor, entry: CatalogEntry, specs: Specs, at?: Position): string {
  const { workflow } = editor.document;
  const before = at ? undefined : selectedNode(editor);
  const node = createNode(workflow, entry, at ?? positionFor(editor, before));
  const canConnect =
    before && inputPorts(node, specs).length > 0 && nextOutputPort(workflow, before, specs) !== undefined;
  editor.document.edit((current) => {
    const added = addNode(
      current,
      before?.parentId && node.type !== "group" ? { ...node, parentId: before.parentId } : node,
    );
    // A node that is dropped on a group becomes part of it.
    if (at) return dropNodes(added, new Map([[node.id, node.position ?? at]]));
    return canConnect ? connectNodes(added, before.id, node.id, specs) : added;
  });
  editor.document.select([node.id]);
  editor.canvas?.focus(node.id);
  return node.id;
}

function selectedNode({ document: { selection, workflow } }: Editor): WorkflowNode | undefined {
  if (selection.size !== 1) return undefined;
  const node = nodeById(workflow, [...selection][0]!);
  return node?.type === "group" ? undefined : node;
}

function positionFor(editor: Editor, before: WorkflowNode | undefined): Position {
  const center = editor.canvas?.center() ?? { x: 0, y: 0 };
  const from = before?.position;
  const preferred = from
    ? { x: from.x + NODE_SIZE.width + GAP_X, y: from.y }
    : { x: center.x - NODE_SIZE.width / 2, y: center.y - NODE_SIZE.height / 2 };
  return freePosition(editor.document.workflow, preferred, before?.parentId);
}
