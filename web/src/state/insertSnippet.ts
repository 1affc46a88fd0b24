/** Puts nodes from elsewhere into the open workflow, as one step: pasted, duplicated, or of a file. */

import { announce } from "./announcements";
import { currentWorkflow, edit } from "./document";
import { pasteOffset, offsetTo } from "../model/layout/placement";
import type { Snippet } from "../model/workflow/edits";
import { pasteSnippet } from "../model/workflow/edits";
import { selectAndFocus } from "./selection";
import type { Position } from "../model/workflow/workflow";

/** Beside what stands there already, or with its upper left corner at a place. */
export function insertSnippet(piece: Snippet, at?: Position): void {
  const workflow = currentWorkflow();
  if (!workflow || piece.nodes.length === 0) return;
  const made = pasteSnippet(workflow, piece, at ? offsetTo(piece, at) : pasteOffset(workflow, piece));
  edit(() => made.workflow);
  selectAndFocus(made.ids[0], made.ids);
  announce(made.ids.length === 1 ? "Pasted 1 node" : `Pasted ${made.ids.length} nodes`);
}
