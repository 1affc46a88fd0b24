/** All commands of the editor with their titles and keys. */

import { useEffect } from "react";
import { groupNodes, moveNodes, ungroupNodes } from "../model/workflow/edits";
import type { Direction } from "../model/workflow/navigation";
import { neighbour } from "../model/workflow/navigation";
import { canOpenNode } from "../model/workflow/families";
import { canBeDisabled, toggleDisabled } from "../model/workflow/nodeActions";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";
import { togglePin } from "../queries/pinnedData";
import { announce } from "../state/announcements";
import type { Command } from "../state/commands";
import { registerCommands } from "../state/commands";
import type { Editor } from "../state/editor";
import { tidyWorkflow } from "../state/layoutWorker";
import { openNodeSearch } from "../state/nodeSearch";
import { panelStore, setPanels } from "../state/panels";
import { selectAndFocus, removeSelection } from "../state/selection";
import { openSubworkflow, subworkflowOf } from "../state/subworkflows";
import { focusRegion, isInPanel } from "./regions";
import { copySelection, duplicateSelection, pasteLastCopy, useClipboard } from "./useClipboard";

const NUDGE_PX = 10;

/** Registers the commands of an editor. */
export function useCommands(editor: Editor | null, own: readonly Command[]): void {
  useEffect(
    () => (editor ? registerCommands([...editorCommands(editor), ...own]) : undefined),
    [editor, own],
  );
  useClipboard(editor);
}

/** Selects a neighbour of the selected or else focused node; `extend` keeps what was selected before. */
function moveSelection(editor: Editor, direction: Direction, extend = false): void {
  const { workflow, selection } = editor.document;
  const to = neighbour(workflow, [...selection].at(-1) ?? focusedNode(), direction);
  if (to) selectAndFocus(editor, to, extend ? [...[...selection].filter((id) => id !== to), to] : [to]);
}

/** The node that a screen reader or a script focused without selecting it. */
function focusedNode(): string | null {
  return document.activeElement?.closest(".react-flow__node")?.getAttribute("data-id") ?? null;
}

function focusInspector(): void {
  setPanels({ side: "inspector" });
  requestAnimationFrame(() => focusRegion("side"));
}

/** Opens the selected node; a note or a group has only its settings. */
function openNode({ document }: Editor): void {
  const node = nodeById(document.workflow, [...document.selection][0] ?? "");
  if (node && canOpenNode(node)) setPanels({ overlay: "node", openNode: node.id });
  else focusInspector();
}

/** Undo or redo; if the focus was on the canvas, it moves to what changed. */
function undoOrRedo(editor: Editor, change: () => void, message: string): void {
  const wasOnCanvas = document.activeElement?.closest(".canvas") != null;
  change();
  const changed = [...editor.document.selection].at(-1);
  if (wasOnCanvas && changed) editor.canvas?.focus(changed);
  announce(message);
}

function nudge(editor: Editor, x: number, y: number): void {
  const ids = editor.document.selection;
  const shifted = (workflow: Workflow) =>
    new Map(
      workflow.nodes
        .filter((node) => ids.has(node.id))
        .map(({ id, position }) => [id, { x: (position?.x ?? 0) + x, y: (position?.y ?? 0) + y }]),
    );
  editor.document.edit((workflow) => moveNodes(workflow, shifted(workflow)), `nudge-${[...ids].join(" ")}`);
}

function groupSelection(editor: Editor): void {
  const { workflow, selection } = editor.document;
  const grouped = groupNodes(workflow, selection, editor.canvas?.sizes());
  editor.document.replace(grouped.workflow);
  if (!grouped.id) return;
  selectAndFocus(editor, grouped.id);
  announce("Grouped");
}

function selectedSubworkflow({ document: { workflow, selection } }: Editor): string | null {
  return selection.size === 1 ? subworkflowOf(nodeById(workflow, [...selection][0]!)) : null;
}

function canRunStep({ document: { workflow, selection, isReadOnly } }: Editor): boolean {
  const node = selection.size === 1 ? nodeById(workflow, [...selection][0]!) : undefined;
  return !isReadOnly && node !== undefined && canOpenNode(node);
}

/** Into the first connection from the selected node; where there is none, behind the node. */
function insertAfterSelected({ document: { workflow, selection } }: Editor): void {
  const [selected] = selection;
  const edge = workflow.connections.find(({ from }) => from === selected)?.id;
  if (!edge) return setPanels({ overlay: "add" });
  const box = document.querySelector(".react-flow__node.selected")?.getBoundingClientRect();
  openNodeSearch({ kind: "edge", edge }, { clientX: box?.right ?? 0, clientY: box?.top ?? 0 });
}

function ungroupSelection(editor: Editor): void {
  const { workflow, selection } = editor.document;
  const member = workflow.nodes.find(({ parentId }) => parentId && selection.has(parentId));
  editor.document.edit((current) => ungroupNodes(current, selection));
  if (member) selectAndFocus(editor, member.id);
}

const DIRECTIONS: readonly { direction: Direction; title: string; key: string; x: number; y: number }[] = [
  { direction: "left", title: "Go to the previous node", key: "arrowleft", x: -1, y: 0 },
  { direction: "right", title: "Go to the next node", key: "arrowright", x: 1, y: 0 },
  { direction: "up", title: "Go to the node above", key: "arrowup", x: 0, y: -1 },
  { direction: "down", title: "Go to the node below", key: "arrowdown", x: 0, y: 1 },
];

function editorCommands(editor: Editor): readonly Command[] {
  const { document } = editor;
  const isReadOnly = () => document.isReadOnly;
  const hasNothingToEdit = () => document.selection.size === 0 || document.isReadOnly;
  const canConnect = () => document.selection.size === 1 && !document.isReadOnly;
  return [
    {
      id: "add",
      title: "Add a node or a tool",
      keys: "a /",
      isDisabled: isReadOnly,
      run: () => setPanels({ overlay: "add" }),
    },
    {
      id: "insert",
      title: "Insert a node after this one",
      keys: "shift+a",
      isDisabled: () => !canConnect(),
      run: () => insertAfterSelected(editor),
    },
    {
      id: "commands",
      title: "Find a command, node or tool",
      keys: "mod+k",
      inFields: true,
      run: () => setPanels({ overlay: "commands" }),
    },
    {
      id: "connect",
      title: "Connect to…",
      keys: "c",
      isDisabled: () => !canConnect(),
      run: () => setPanels({ overlay: "connect" }),
    },
    {
      id: "disconnect",
      title: "Delete a connection…",
      keys: "shift+c",
      isDisabled: () => !canConnect(),
      run: () => setPanels({ overlay: "disconnect" }),
    },
    {
      id: "configure",
      title: "Open the node",
      keys: "enter",
      at: "node",
      isDisabled: () => document.selection.size !== 1 && focusedNode() === null,
      run: () => {
        // After Escape a node still has the focus, though nothing is selected.
        if (document.selection.size !== 1) document.select([focusedNode()!]);
        openNode(editor);
      },
    },
    {
      id: "settings",
      title: "Show the settings of the node",
      isDisabled: () => document.selection.size !== 1,
      run: focusInspector,
    },
    {
      id: "pin",
      title: "Pin or unpin the output",
      keys: "shift+p",
      at: "canvas",
      isDisabled: () => !canConnect(),
      run: () => void togglePin(editor, [...document.selection][0]!),
    },
    {
      id: "run-step",
      title: "Run this step",
      keys: "r",
      at: "canvas",
      isDisabled: () => !canRunStep(editor),
      run: () => setPanels({ overlay: "node", openNode: [...document.selection][0]!, runsOpenNode: true }),
    },
    {
      id: "disable",
      title: "Disable or enable the node",
      keys: "d",
      at: "canvas",
      isDisabled: () => !canConnect() || !canBeDisabled(document.workflow, [...document.selection][0]!),
      run: () => document.edit((now) => toggleDisabled(now, [...document.selection][0]!)),
    },
    {
      id: "open-subworkflow",
      title: "Open the sub-workflow",
      keys: "o",
      at: "canvas",
      isDisabled: () => selectedSubworkflow(editor) === null,
      run: () => openSubworkflow(editor, selectedSubworkflow(editor)!),
    },
    {
      id: "back",
      title: "Go back to the canvas",
      keys: "escape",
      inFields: true,
      isDisabled: () => !isInPanel(),
      run: () => editor.canvas?.focus([...document.selection].at(-1)),
    },
    {
      id: "undo",
      title: "Undo",
      keys: "mod+z",
      run: () => undoOrRedo(editor, () => document.undo(), "Undone"),
    },
    {
      id: "redo",
      title: "Redo",
      keys: "mod+shift+z mod+y",
      run: () => undoOrRedo(editor, () => document.redo(), "Redone"),
    },
    {
      id: "copy",
      title: "Copy",
      keys: "mod+c",
      at: "canvas",
      isNative: true,
      isDisabled: () => document.selection.size === 0,
      run: () => copySelection(editor),
    },
    {
      id: "cut",
      title: "Cut",
      keys: "mod+x",
      at: "canvas",
      isNative: true,
      isDisabled: hasNothingToEdit,
      run: () => (copySelection(editor), removeSelection(editor)),
    },
    {
      id: "paste",
      title: "Paste",
      keys: "mod+v",
      at: "canvas",
      isNative: true,
      isDisabled: isReadOnly,
      run: () => pasteLastCopy(editor),
    },
    {
      id: "duplicate",
      title: "Duplicate",
      keys: "mod+d",
      isDisabled: hasNothingToEdit,
      run: () => duplicateSelection(editor),
    },
    {
      id: "delete",
      title: "Delete",
      keys: "delete backspace",
      at: "canvas",
      isDisabled: hasNothingToEdit,
      run: () => removeSelection(editor),
    },
    {
      id: "delete-all",
      title: "Delete a group and its nodes",
      keys: "shift+delete",
      at: "canvas",
      isDisabled: hasNothingToEdit,
      run: () => removeSelection(editor, true),
    },
    {
      id: "find",
      title: "Find a node in this workflow…",
      keys: "mod+f",
      inFields: true,
      run: () => setPanels({ overlay: "find" }),
    },
    {
      id: "all",
      title: "Select all",
      keys: "mod+a",
      at: "canvas",
      run: () => document.select(document.workflow.nodes.map(({ id }) => id)),
    },
    { id: "none", title: "Clear selection", keys: "escape", at: "canvas", run: () => document.select([]) },
    {
      id: "group",
      title: "Group",
      keys: "mod+g",
      isDisabled: hasNothingToEdit,
      run: () => groupSelection(editor),
    },
    {
      id: "ungroup",
      title: "Ungroup",
      keys: "mod+shift+g",
      isDisabled: hasNothingToEdit,
      run: () => ungroupSelection(editor),
    },
    {
      id: "tidy",
      title: "Tidy up",
      keys: "mod+shift+l",
      isDisabled: isReadOnly,
      run: () => tidyWorkflow(editor),
    },
    { id: "fit", title: "Fit to view", keys: "1", run: () => editor.canvas?.fit() },
    { id: "show-all", title: "Show all", keys: "0", run: () => editor.canvas?.showAll() },
    {
      id: "json",
      title: "JSON beside the canvas",
      keys: "j",
      run: () => setPanels({ side: panelStore.getState().side === "json" ? "inspector" : "json" }),
    },
    {
      id: "inspector",
      title: "Inspector",
      keys: "i",
      run: () => setPanels({ side: panelStore.getState().side === "inspector" ? null : "inspector" }),
    },
    {
      id: "palette",
      title: "Palette",
      keys: "p",
      run: () => setPanels({ hasPalette: !panelStore.getState().hasPalette }),
    },
    { id: "keys", title: "Keyboard shortcuts", keys: "?", run: () => setPanels({ overlay: "keys" }) },
    ...DIRECTIONS.map(({ direction, title, key }) => ({
      id: direction,
      title,
      keys: key,
      at: "canvas" as const,
      run: () => moveSelection(editor, direction),
    })),
    ...DIRECTIONS.map(({ direction, title, key }) => ({
      id: `and-${direction}`,
      title: `${title} and add to the selection`,
      keys: `mod+${key}`,
      at: "canvas" as const,
      run: () => moveSelection(editor, direction, true),
    })),
    ...DIRECTIONS.map(({ direction, key, x, y }) => ({
      id: `move-${direction}`,
      title: `Move ${direction}`,
      keys: `shift+${key}`,
      at: "canvas" as const,
      isDisabled: hasNothingToEdit,
      run: () => nudge(editor, x * NUDGE_PX, y * NUDGE_PX),
    })),
  ];
}
