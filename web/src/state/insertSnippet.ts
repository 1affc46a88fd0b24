/** Puts nodes from elsewhere into the open workflow, as one step: pasted, duplicated, or of a file. */

import { announce } from "./announcements";
import { currentWorkflow, edit } from "./document";
import { beside, shiftTo } from "../model/layout/placement";
import type { Piece } from "../model/workflow/edits";
import { paste } from "../model/workflow/edits";
import { goTo } from "./selection";
import type { Position } from "../model/workflow/workflow";

/** Beside what stands there already, or with its upper left corner at a place. */
export function insert(piece: Piece, at?: Position): void {
  const workflow = currentWorkflow();
  if (!workflow || piece.nodes.length === 0) return;
  const made = paste(workflow, piece, at ? shiftTo(piece, at) : beside(workflow, piece));
  edit(() => made.workflow);
  goTo(made.ids[0], made.ids);
  announce(made.ids.length === 1 ? "Pasted 1 node" : `Pasted ${made.ids.length} nodes`);
}
