/** Puts nodes from elsewhere into the open workflow, as one step: pasted, duplicated, or of a file. */

import { announce } from "./announceStore";
import { currentWorkflow, edit } from "./documentStore";
import type { Piece } from "./edits";
import { paste } from "./edits";
import { goTo } from "./selecting";
import type { Position, Workflow } from "./workflow";

const STEP = 40;

/** Beside what stands there already, or with its upper left corner at a place. */
export function insert(piece: Piece, at?: Position): void {
  const workflow = currentWorkflow();
  if (!workflow || piece.nodes.length === 0) return;
  const made = paste(workflow, piece, at ? shiftTo(piece, at) : beside(workflow, piece));
  edit(() => made.workflow);
  goTo(made.ids[0], made.ids);
  announce(made.ids.length === 1 ? "Pasted 1 node" : `Pasted ${made.ids.length} nodes`);
}

/** The first step down and to the right at which no node covers another exactly. */
export function beside(workflow: Workflow, piece: Piece): Position {
  const taken = new Set(workflow.nodes.map(({ position }) => spelt(position ?? { x: 0, y: 0 })));
  for (let by = STEP; ; by += STEP) {
    const isFree = piece.nodes.every(({ position, parentId }) => parentId || !taken.has(spelt({ x: (position?.x ?? 0) + by, y: (position?.y ?? 0) + by })));
    if (isFree) return { x: by, y: by };
  }
}

function shiftTo({ nodes }: Piece, at: Position): Position {
  const outer = nodes.filter(({ parentId }) => !parentId);
  const left = Math.min(...outer.map(({ position }) => position?.x ?? 0));
  const top = Math.min(...outer.map(({ position }) => position?.y ?? 0));
  return { x: Math.round(at.x - left), y: Math.round(at.y - top) };
}

function spelt({ x, y }: Position): string {
  return `${x} ${y}`;
}
