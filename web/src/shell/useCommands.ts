/** The central key map of the editor: every action, its name and its keys. */

import { useEffect } from "react";
import { announce } from "../state/announcements";
import type { Command } from "../state/commands";
import { offer } from "../state/commands";
import { currentWorkflow, documentStore, edit, redoEdit, select, undoEdit } from "../state/document";
import { group, moveNodes, ungroup } from "../model/workflow/edits";
import { show, viewStore, canvasActions } from "../state/panels";
import { tidy } from "../state/tidy";
import type { Direction } from "../model/workflow/navigation";
import { neighbour } from "../model/workflow/navigation";
import type { Workflow } from "../model/workflow/workflow";
import { goTo, removeSelection } from "../state/selection";
import { copyCommand, duplicateCommand, pasteCommand, useClipboard } from "./useClipboard";
import { enterStop, isInPanel, walkStops } from "./regions";

const STEP = 10;

export function useCommands(own: readonly Command[]): void {
  useEffect(() => offer([...COMMANDS, ...own]), [own]);
  useClipboard();
}

const selection = () => documentStore.getState().selection;
const isReadOnly = () => documentStore.getState().isReadOnly;
const isNothing = () => selection().size === 0 || isReadOnly();

/** To a neighbour; `grows` keeps what was selected before. */
function walk(direction: Direction, grows = false): void {
  const workflow = currentWorkflow();
  const to = workflow && neighbour(workflow, [...selection()].at(-1) ?? null, direction);
  if (to) goTo(to, grows ? [...[...selection()].filter((id) => id !== to), to] : [to]);
}

/** To the fields of the selected node. */
function configure(): void {
  show({ side: "inspector" });
  requestAnimationFrame(() => enterStop("side"));
}

function toCanvas(): void {
  canvasActions()?.focus([...selection()].at(-1));
}

/** Undoes or does again; the focus on the canvas goes where that happened. */
function past(change: () => void, words: string): void {
  const wasThere = document.activeElement?.closest(".canvas") != null;
  change();
  const [at] = [...selection()].slice(-1);
  if (wasThere && at) canvasActions()?.focus(at);
  announce(words);
}

function nudge(x: number, y: number): void {
  const ids = selection();
  const shifted = (workflow: Workflow) =>
    new Map(workflow.nodes.filter((node) => ids.has(node.id)).map(({ id, position }) => [id, { x: (position?.x ?? 0) + x, y: (position?.y ?? 0) + y }]));
  edit((workflow) => moveNodes(workflow, shifted(workflow)), `nudge-${[...ids].join(" ")}`);
}

function groupSelection(): void {
  const made = group(currentWorkflow()!, selection(), canvasActions()?.sizes());
  edit(() => made.workflow);
  if (!made.id) return;
  goTo(made.id);
  announce("Grouped");
}

function ungroupSelection(): void {
  const within = currentWorkflow()!.nodes.find(({ parentId }) => parentId && selection().has(parentId));
  edit((workflow) => ungroup(workflow, selection()));
  if (within) goTo(within.id);
}

const WALKS: readonly { direction: Direction; title: string; key: string; x: number; y: number }[] = [
  { direction: "left", title: "To the node before", key: "arrowleft", x: -1, y: 0 },
  { direction: "right", title: "To the next node", key: "arrowright", x: 1, y: 0 },
  { direction: "up", title: "To the node above", key: "arrowup", x: 0, y: -1 },
  { direction: "down", title: "To the node below", key: "arrowdown", x: 0, y: 1 },
];

const COMMANDS: readonly Command[] = [
  { id: "add", title: "Add a node or a tool", keys: "a /", isOff: isReadOnly, run: () => show({ overlay: "add" }) },
  { id: "commands", title: "Find a command, node or tool", keys: "mod+k", inFields: true, run: () => show({ overlay: "commands" }) },
  { id: "connect", title: "Connect to…", keys: "c", isOff: () => isReadOnly() || selection().size !== 1, run: () => show({ overlay: "connect" }) },
  { id: "disconnect", title: "Take a connection away…", keys: "shift+c", isOff: () => isReadOnly() || selection().size !== 1, run: () => show({ overlay: "disconnect" }) },
  { id: "configure", title: "Set what the node does", keys: "enter", at: "node", isOff: () => selection().size !== 1, run: configure },
  { id: "back", title: "From a panel back to the canvas", keys: "escape", inFields: true, isOff: () => !isInPanel(), run: toCanvas },
  { id: "next-part", title: "To the next part of the page", keys: "f6", inFields: true, run: () => walkStops(1) },
  { id: "part-before", title: "To the part before", keys: "shift+f6", inFields: true, run: () => walkStops(-1) },
  { id: "undo", title: "Undo", keys: "mod+z", run: () => past(undoEdit, "Undone") },
  { id: "redo", title: "Redo", keys: "mod+shift+z mod+y", run: () => past(redoEdit, "Done again") },
  { id: "copy", title: "Copy", keys: "mod+c", at: "canvas", isNative: true, isOff: () => selection().size === 0, run: copyCommand },
  { id: "cut", title: "Cut", keys: "mod+x", at: "canvas", isNative: true, isOff: isNothing, run: () => (copyCommand(), removeSelection()) },
  { id: "paste", title: "Paste", keys: "mod+v", at: "canvas", isNative: true, isOff: isReadOnly, run: pasteCommand },
  { id: "duplicate", title: "Duplicate", keys: "mod+d", isOff: isNothing, run: duplicateCommand },
  { id: "delete", title: "Delete", keys: "delete backspace", at: "canvas", isOff: isNothing, run: () => removeSelection() },
  { id: "delete-all", title: "Delete a group and what is in it", keys: "shift+delete", at: "canvas", isOff: isNothing, run: () => removeSelection(true) },
  { id: "find", title: "Find a node of this workflow…", keys: "mod+f", inFields: true, run: () => show({ overlay: "find" }) },
  { id: "all", title: "Select all", keys: "mod+a", at: "canvas", run: () => select((currentWorkflow()?.nodes ?? []).map(({ id }) => id)) },
  { id: "none", title: "Select nothing", keys: "escape", at: "canvas", run: () => select([]) },
  { id: "group", title: "Group", keys: "mod+g", isOff: isNothing, run: groupSelection },
  { id: "ungroup", title: "Ungroup", keys: "mod+shift+g", isOff: isNothing, run: ungroupSelection },
  { id: "tidy", title: "Tidy the canvas", keys: "mod+shift+l", isOff: isReadOnly, run: tidy },
  { id: "fit", title: "Show all", keys: "1", run: () => canvasActions()?.fit() },
  { id: "json", title: "JSON beside the canvas", keys: "j", run: () => show({ side: viewStore.getState().side === "json" ? "inspector" : "json" }) },
  { id: "inspector", title: "Inspector", keys: "i", run: () => show({ side: viewStore.getState().side === "inspector" ? null : "inspector" }) },
  { id: "palette", title: "Palette", keys: "p", run: () => show({ hasPalette: !viewStore.getState().hasPalette }) },
  { id: "keys", title: "Keys", keys: "?", run: () => show({ overlay: "keys" }) },
  ...WALKS.map(({ direction, title, key }) => ({ id: direction, title, keys: key, at: "canvas" as const, run: () => walk(direction) })),
  ...WALKS.map(({ direction, title, key }) => ({ id: `and-${direction}`, title: `${title}, and select it too`, keys: `mod+${key}`, at: "canvas" as const, run: () => walk(direction, true) })),
  ...WALKS.map(({ direction, key, x, y }) => ({ id: `move-${direction}`, title: `Move ${direction}`, keys: `shift+${key}`, at: "canvas" as const, isOff: isNothing, run: () => nudge(x * STEP, y * STEP) })),
];
