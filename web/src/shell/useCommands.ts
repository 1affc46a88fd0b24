/** The central key map of the editor: every action, its name and its keys. */

import { useEffect } from "react";
import { announce } from "../state/announcements";
import type { Command } from "../state/commands";
import { registerCommands } from "../state/commands";
import { currentWorkflow, documentStore, edit, redoEdit, select, undoEdit } from "../state/document";
import { groupNodes, moveNodes, ungroupNodes } from "../model/workflow/edits";
import { setPanels, panelStore, canvasActions } from "../state/panels";
import { tidyWorkflow } from "../state/tidy";
import type { Direction } from "../model/workflow/navigation";
import { neighbour } from "../model/workflow/navigation";
import type { Workflow } from "../model/workflow/workflow";
import { selectAndFocus, removeSelection } from "../state/selection";
import { copyCommand, duplicateCommand, pasteCommand, useClipboard } from "./useClipboard";
import { focusRegion, isInPanel, focusNextRegion } from "./regions";

const NUDGE_PX = 10;

export function useCommands(own: readonly Command[]): void {
  useEffect(() => registerCommands([...COMMANDS, ...own]), [own]);
  useClipboard();
}

const selection = () => documentStore.getState().selection;
const isReadOnly = () => documentStore.getState().isReadOnly;
const hasNothingToEdit = () => selection().size === 0 || isReadOnly();

/** To a neighbour; `grows` keeps what was selected before. */
function moveSelection(direction: Direction, grows = false): void {
  const workflow = currentWorkflow();
  const to = workflow && neighbour(workflow, [...selection()].at(-1) ?? null, direction);
  if (to) selectAndFocus(to, grows ? [...[...selection()].filter((id) => id !== to), to] : [to]);
}

/** To the fields of the selected node. */
function focusInspector(): void {
  setPanels({ side: "inspector" });
  requestAnimationFrame(() => focusRegion("side"));
}

function focusCanvas(): void {
  canvasActions()?.focus([...selection()].at(-1));
}

/** Undoes or does again; the focus on the canvas goes where that happened. */
function undoOrRedo(change: () => void, words: string): void {
  const wasThere = document.activeElement?.closest(".canvas") != null;
  change();
  const [at] = [...selection()].slice(-1);
  if (wasThere && at) canvasActions()?.focus(at);
  announce(words);
}

function nudge(x: number, y: number): void {
  const ids = selection();
  const shifted = (workflow: Workflow) =>
    new Map(
      workflow.nodes
        .filter((node) => ids.has(node.id))
        .map(({ id, position }) => [id, { x: (position?.x ?? 0) + x, y: (position?.y ?? 0) + y }]),
    );
  edit((workflow) => moveNodes(workflow, shifted(workflow)), `nudge-${[...ids].join(" ")}`);
}

function groupSelection(): void {
  const made = groupNodes(currentWorkflow()!, selection(), canvasActions()?.sizes());
  edit(() => made.workflow);
  if (!made.id) return;
  selectAndFocus(made.id);
  announce("Grouped");
}

function ungroupSelection(): void {
  const within = currentWorkflow()!.nodes.find(({ parentId }) => parentId && selection().has(parentId));
  edit((workflow) => ungroupNodes(workflow, selection()));
  if (within) selectAndFocus(within.id);
}

const DIRECTIONS: readonly { direction: Direction; title: string; key: string; x: number; y: number }[] = [
  { direction: "left", title: "To the node before", key: "arrowleft", x: -1, y: 0 },
  { direction: "right", title: "To the next node", key: "arrowright", x: 1, y: 0 },
  { direction: "up", title: "To the node above", key: "arrowup", x: 0, y: -1 },
  { direction: "down", title: "To the node below", key: "arrowdown", x: 0, y: 1 },
];

const COMMANDS: readonly Command[] = [
  {
    id: "add",
    title: "Add a node or a tool",
    keys: "a /",
    isDisabled: isReadOnly,
    run: () => setPanels({ overlay: "add" }),
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
    isDisabled: () => isReadOnly() || selection().size !== 1,
    run: () => setPanels({ overlay: "connect" }),
  },
  {
    id: "disconnect",
    title: "Take a connection away…",
    keys: "shift+c",
    isDisabled: () => isReadOnly() || selection().size !== 1,
    run: () => setPanels({ overlay: "disconnect" }),
  },
  {
    id: "configure",
    title: "Set what the node does",
    keys: "enter",
    at: "node",
    isDisabled: () => selection().size !== 1,
    run: focusInspector,
  },
  {
    id: "back",
    title: "From a panel back to the canvas",
    keys: "escape",
    inFields: true,
    isDisabled: () => !isInPanel(),
    run: focusCanvas,
  },
  {
    id: "next-part",
    title: "To the next part of the page",
    keys: "f6",
    inFields: true,
    run: () => focusNextRegion(1),
  },
  {
    id: "part-before",
    title: "To the part before",
    keys: "shift+f6",
    inFields: true,
    run: () => focusNextRegion(-1),
  },
  { id: "undo", title: "Undo", keys: "mod+z", run: () => undoOrRedo(undoEdit, "Undone") },
  { id: "redo", title: "Redo", keys: "mod+shift+z mod+y", run: () => undoOrRedo(redoEdit, "Done again") },
  {
    id: "copy",
    title: "Copy",
    keys: "mod+c",
    at: "canvas",
    isNative: true,
    isDisabled: () => selection().size === 0,
    run: copyCommand,
  },
  {
    id: "cut",
    title: "Cut",
    keys: "mod+x",
    at: "canvas",
    isNative: true,
    isDisabled: hasNothingToEdit,
    run: () => (copyCommand(), removeSelection()),
  },
  {
    id: "paste",
    title: "Paste",
    keys: "mod+v",
    at: "canvas",
    isNative: true,
    isDisabled: isReadOnly,
    run: pasteCommand,
  },
  { id: "duplicate", title: "Duplicate", keys: "mod+d", isDisabled: hasNothingToEdit, run: duplicateCommand },
  {
    id: "delete",
    title: "Delete",
    keys: "delete backspace",
    at: "canvas",
    isDisabled: hasNothingToEdit,
    run: () => removeSelection(),
  },
  {
    id: "delete-all",
    title: "Delete a group and what is in it",
    keys: "shift+delete",
    at: "canvas",
    isDisabled: hasNothingToEdit,
    run: () => removeSelection(true),
  },
  {
    id: "find",
    title: "Find a node of this workflow…",
    keys: "mod+f",
    inFields: true,
    run: () => setPanels({ overlay: "find" }),
  },
  {
    id: "all",
    title: "Select all",
    keys: "mod+a",
    at: "canvas",
    run: () => select((currentWorkflow()?.nodes ?? []).map(({ id }) => id)),
  },
  { id: "none", title: "Select nothing", keys: "escape", at: "canvas", run: () => select([]) },
  { id: "group", title: "Group", keys: "mod+g", isDisabled: hasNothingToEdit, run: groupSelection },
  {
    id: "ungroup",
    title: "Ungroup",
    keys: "mod+shift+g",
    isDisabled: hasNothingToEdit,
    run: ungroupSelection,
  },
  { id: "tidy", title: "Tidy the canvas", keys: "mod+shift+l", isDisabled: isReadOnly, run: tidyWorkflow },
  { id: "fit", title: "Show all", keys: "1", run: () => canvasActions()?.fit() },
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
  { id: "keys", title: "Keys", keys: "?", run: () => setPanels({ overlay: "keys" }) },
  ...DIRECTIONS.map(({ direction, title, key }) => ({
    id: direction,
    title,
    keys: key,
    at: "canvas" as const,
    run: () => moveSelection(direction),
  })),
  ...DIRECTIONS.map(({ direction, title, key }) => ({
    id: `and-${direction}`,
    title: `${title}, and select it too`,
    keys: `mod+${key}`,
    at: "canvas" as const,
    run: () => moveSelection(direction, true),
  })),
  ...DIRECTIONS.map(({ direction, key, x, y }) => ({
    id: `move-${direction}`,
    title: `Move ${direction}`,
    keys: `shift+${key}`,
    at: "canvas" as const,
    isDisabled: hasNothingToEdit,
    run: () => nudge(x * NUDGE_PX, y * NUDGE_PX),
  })),
];
