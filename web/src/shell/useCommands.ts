/** The central key map of the editor: every action, its name and its keys. */

import { useEffect } from "react";
import { readStored, store } from "../api/storage";
import type { Command } from "../model/commandStore";
import { offer } from "../model/commandStore";
import { currentWorkflow, documentStore, edit, redoEdit, select, undoEdit } from "../model/documentStore";
import { copied, group, moveNodes, paste, remove, ungroup, type Piece } from "../model/edits";
import { show, viewStore, canvasActions } from "../model/viewStore";
import { tidy } from "../model/tidy";
import type { Direction } from "../model/walking";
import { neighbour } from "../model/walking";
import type { Workflow } from "../model/workflow";

const COPIED = "toolweave.copied";
const STEP = 10;
let pastes = 0;

export function useCommands(own: readonly Command[]): void {
  useEffect(() => offer([...COMMANDS, ...own]), [own]);
}

const selection = () => documentStore.getState().selection;
const isReadOnly = () => documentStore.getState().isReadOnly;
const isNothing = () => selection().size === 0 || isReadOnly();

function copySelection(): void {
  const workflow = currentWorkflow();
  if (workflow) store("localStorage", COPIED, JSON.stringify(copied(workflow, selection())));
  pastes = 0;
}

function pasteCopied(): void {
  const text = readStored("localStorage", COPIED);
  if (!text) return;
  pastes += 1;
  let ids: string[] = [];
  edit((workflow) => {
    const made = paste(workflow, JSON.parse(text) as Piece, { x: 40 * pastes, y: 40 * pastes });
    ids = made.ids;
    return made.workflow;
  });
  select(ids);
}

function removeSelection(): void {
  const gone = selection();
  edit((workflow) => remove(workflow, gone));
  select([]);
}

function walk(direction: Direction): void {
  const workflow = currentWorkflow();
  const to = workflow && neighbour(workflow, [...selection()][0] ?? null, direction);
  if (!to) return;
  select([to]);
  canvasActions()?.reveal(to);
}

function nudge(x: number, y: number): void {
  const ids = selection();
  const shifted = (workflow: Workflow) =>
    new Map(workflow.nodes.filter((node) => ids.has(node.id)).map(({ id, position }) => [id, { x: (position?.x ?? 0) + x, y: (position?.y ?? 0) + y }]));
  edit((workflow) => moveNodes(workflow, shifted(workflow)), "nudge");
}

function groupSelection(): void {
  const made = group(currentWorkflow()!, selection());
  edit(() => made.workflow);
  if (made.id) select([made.id]);
}

const COMMANDS: readonly Command[] = [
  { id: "add", title: "Add a node or a tool", keys: "a tab /", isOff: isReadOnly, run: () => show({ overlay: "add" }) },
  { id: "commands", title: "Find a command, node or tool", keys: "mod+k", inFields: true, run: () => show({ overlay: "commands" }) },
  { id: "connect", title: "Connect to…", keys: "c", isOff: () => isReadOnly() || selection().size !== 1, run: () => show({ overlay: "connect" }) },
  { id: "undo", title: "Undo", keys: "mod+z", run: undoEdit },
  { id: "redo", title: "Redo", keys: "mod+shift+z mod+y", run: redoEdit },
  { id: "copy", title: "Copy", keys: "mod+c", isOff: () => selection().size === 0, run: copySelection },
  { id: "cut", title: "Cut", keys: "mod+x", isOff: isNothing, run: () => (copySelection(), removeSelection()) },
  { id: "paste", title: "Paste", keys: "mod+v", isOff: isReadOnly, run: pasteCopied },
  { id: "duplicate", title: "Duplicate", keys: "mod+d", isOff: isNothing, run: () => (copySelection(), pasteCopied()) },
  { id: "delete", title: "Delete", keys: "delete backspace", isOff: isNothing, run: removeSelection },
  { id: "all", title: "Select all", keys: "mod+a", run: () => select((currentWorkflow()?.nodes ?? []).map(({ id }) => id)) },
  { id: "none", title: "Select nothing", keys: "escape", run: () => select([]) },
  { id: "group", title: "Group", keys: "mod+g", isOff: isNothing, run: groupSelection },
  { id: "ungroup", title: "Ungroup", keys: "mod+shift+g", isOff: isNothing, run: () => edit((workflow) => ungroup(workflow, selection())) },
  { id: "tidy", title: "Tidy the canvas", keys: "mod+shift+l", isOff: isReadOnly, run: tidy },
  { id: "fit", title: "Show all", keys: "1", run: () => canvasActions()?.fit() },
  { id: "json", title: "JSON beside the canvas", keys: "j", run: () => show({ side: viewStore.getState().side === "json" ? "inspector" : "json" }) },
  { id: "inspector", title: "Inspector", keys: "i", run: () => show({ side: viewStore.getState().side === "inspector" ? null : "inspector" }) },
  { id: "palette", title: "Palette", keys: "p", run: () => show({ hasPalette: !viewStore.getState().hasPalette }) },
  { id: "keys", title: "Keys", keys: "?", run: () => show({ overlay: "keys" }) },
  { id: "left", title: "To the node before", keys: "arrowleft", run: () => walk("left") },
  { id: "right", title: "To the next node", keys: "arrowright", run: () => walk("right") },
  { id: "up", title: "To the node above", keys: "arrowup", run: () => walk("up") },
  { id: "down", title: "To the node below", keys: "arrowdown", run: () => walk("down") },
  { id: "move-left", title: "Move left", keys: "shift+arrowleft", isOff: isNothing, run: () => nudge(-STEP, 0) },
  { id: "move-right", title: "Move right", keys: "shift+arrowright", isOff: isNothing, run: () => nudge(STEP, 0) },
  { id: "move-up", title: "Move up", keys: "shift+arrowup", isOff: isNothing, run: () => nudge(0, -STEP) },
  { id: "move-down", title: "Move down", keys: "shift+arrowdown", isOff: isNothing, run: () => nudge(0, STEP) },
];
