/** Inserts nodes: of a catalog entry, of the clipboard, or of a file. Each insertion is one step of the history. */

import { NODE_SIZE, PILL_WIDTH } from "../model/layout/geometry";
import { freePosition, offsetTo, pasteOffset } from "../model/layout/placement";
import type { CatalogEntry, Specs } from "../model/workflow/catalog";
import { inputPorts } from "../model/workflow/catalog";
import type { InsertionPoint } from "../model/workflow/insertion";
import { connectEnd, fitsPoint, insertAfter, insertAt, PORT_TOP } from "../model/workflow/insertion";
import type { Snippet } from "../model/workflow/edits";
import {
  addNode,
  connectNodes,
  createNode,
  nextOutputPort,
  pasteSnippet,
  removeItems,
  unusedStart,
} from "../model/workflow/edits";
import type { Position, Workflow, WorkflowNode } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";
import { announce } from "./announcements";
import type { Editor } from "./editor";
import { rememberNode } from "./recentNodes";
import { selectAndFocus } from "./selection";

const GAP_X = 60;

/** Edits that belong to the insertion of a node. */
export function insertionGesture(id: string): string {
  return `insert-${id}`;
}

/** Adds a node at a point; without one after the selected node or before the selected end, else in the middle. */
export function addEntry(editor: Editor, entry: CatalogEntry, specs: Specs, given?: InsertionPoint): string {
  rememberNode(entry.ref);
  const point = given ?? pointBeforeEnd(editor, entry);
  const id =
    replaceStart(editor, entry) ??
    (point ? addAtPoint(editor, entry, specs, point) : addAfterSelected(editor, entry, specs));
  editor.document.select([id]);
  editor.canvas?.focus(id);
  editor.canvas?.revealAdded(id);
  return id;
}

/** A trigger takes the place of a start that is not used, because a workflow begins with either. */
function replaceStart(editor: Editor, entry: CatalogEntry): string | null {
  const start = entry.type === "TRIGGER" ? unusedStart(editor.document.workflow) : undefined;
  if (!start) return null;
  const node = createNode(editor.document.workflow, entry, start.position ?? { x: 0, y: 0 });
  const place = { x: (start.position?.x ?? 0) - (NODE_SIZE.width - PILL_WIDTH), y: start.position?.y ?? 0 };
  editor.document.edit(
    (now) => addNode(removeItems(now, new Set([start.id])), { ...node, position: place }),
    insertionGesture(node.id),
  );
  announce(`${node.name} replaces Start`);
  return node.id;
}

function addAtPoint(editor: Editor, entry: CatalogEntry, specs: Specs, point: InsertionPoint): string {
  const { workflow, id } = insertAt(editor.document.workflow, entry, point, specs);
  editor.document.edit(() => workflow, insertionGesture(id));
  return id;
}

function addAfterSelected(editor: Editor, entry: CatalogEntry, specs: Specs): string {
  const { workflow } = editor.document;
  const before = selectedNode(editor) ?? unusedEntrance(editor, entry);
  const between = before && insertAfter(workflow, entry, before, specs);
  if (between) {
    editor.document.edit(() => between.workflow, insertionGesture(between.id));
    return between.id;
  }
  const point = before && pointAfter(workflow, before, specs);
  // The end that nothing leads to makes room.
  if (point && fitsPoint(entry, point) && hasUnusedEnd(workflow))
    return addAtPoint(editor, entry, specs, point);
  const node = createNode(workflow, entry, positionFor(editor, before));
  const canConnect =
    before && inputPorts(node, specs).length > 0 && nextOutputPort(workflow, before, specs) !== undefined;
  editor.document.edit((current) => {
    const added = addNode(
      current,
      before?.parentId && node.type !== "group" ? { ...node, parentId: before.parentId } : node,
    );
    if (!canConnect) return added;
    return connectEnd(connectNodes(added, before.id, node.id, specs), before.id, node.id, specs);
  }, insertionGesture(node.id));
  return node.id;
}

function hasUnusedEnd({ nodes, connections }: Workflow): boolean {
  const ends = new Set(nodes.filter(({ type }) => type === "end").map(({ id }) => id));
  return ends.size > 0 && !connections.some(({ to }) => ends.has(to));
}

/** Where a connection from the next port of a node would end. */
function pointAfter(workflow: Workflow, before: WorkflowNode, specs: Specs): InsertionPoint | undefined {
  const port = nextOutputPort(workflow, before, specs);
  if (!port || !before.position || before.parentId) return undefined;
  const { x, y } = before.position;
  const width = before.type === "start" ? PILL_WIDTH : NODE_SIZE.width;
  return { kind: "from", node: before.id, port, at: { x: x + width + GAP_X - 10, y: y + PORT_TOP } };
}

function onlySelected({ document: { selection, workflow } }: Editor): WorkflowNode | undefined {
  return selection.size === 1 ? nodeById(workflow, [...selection][0]!) : undefined;
}

/** The selected node, if something can follow it. */
function selectedNode(editor: Editor): WorkflowNode | undefined {
  const node = onlySelected(editor);
  return node?.type === "group" || node?.type === "end" ? undefined : node;
}

/** The connection to the selected end, if it has only one. */
function pointBeforeEnd(editor: Editor, entry: CatalogEntry): InsertionPoint | undefined {
  const node = onlySelected(editor);
  if (node?.type !== "end") return undefined;
  const [edge, ...others] = editor.document.workflow.connections.filter(({ to }) => to === node.id);
  const point = edge && others.length === 0 ? ({ kind: "edge", edge: edge.id } as const) : undefined;
  return point && fitsPoint(entry, point) ? point : undefined;
}

/** The first node of a workflow that has just begun: what is added first follows it. */
function unusedEntrance(editor: Editor, entry: CatalogEntry): WorkflowNode | undefined {
  const { selection, workflow } = editor.document;
  const entrances = workflow.nodes.filter(({ type }) => type === "start" || type === "TRIGGER");
  const [first] = entrances;
  const isFree = selection.size === 0 || onlySelected(editor)?.type === "end";
  if (!isFree || entrances.length !== 1 || !first?.position) return undefined;
  const point = { kind: "from", node: first.id, port: "", at: first.position } as const;
  return workflow.connections.length === 0 && fitsPoint(entry, point) ? first : undefined;
}

function positionFor(editor: Editor, before: WorkflowNode | undefined): Position {
  const center = editor.canvas?.center() ?? { x: 0, y: 0 };
  const from = before?.position;
  const width = before?.type === "start" ? PILL_WIDTH : NODE_SIZE.width;
  const preferred = from
    ? { x: from.x + width + GAP_X, y: from.y }
    : { x: center.x - NODE_SIZE.width / 2, y: center.y - NODE_SIZE.height / 2 };
  return freePosition(editor.document.workflow, preferred, before?.parentId);
}

/** Inserts next to the existing nodes, or with the upper left corner at a position. */
export function insertSnippet(editor: Editor, snippet: Snippet, at?: Position): void {
  if (snippet.nodes.length === 0) return;
  const { workflow } = editor.document;
  const offset = at ? offsetTo(snippet, at) : pasteOffset(workflow, snippet);
  const { workflow: pasted, ids } = pasteSnippet(workflow, snippet, offset);
  editor.document.replace(pasted);
  selectAndFocus(editor, ids[0], ids);
  announce(ids.length === 1 ? "Pasted 1 node" : `Pasted ${ids.length} nodes`);
}
