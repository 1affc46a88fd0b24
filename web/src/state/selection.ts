/** What is selected, and where the focus goes with it. */

import { announce } from "./announcements";
import { currentWorkflow, documentStore, edit, select } from "./document";
import { removeItems, withGroupContents } from "../model/workflow/edits";
import { canvasActions } from "./panels";
import { nodeAfterRemoval } from "../model/workflow/navigation";

/** What stands in a group stays, unless it shall go with it. */
export function removeSelection(isWhole = false): void {
  const gone = isWhole
    ? withGroupContents(currentWorkflow()!, documentStore.getState().selection)
    : documentStore.getState().selection;
  const next = nodeAfterRemoval(currentWorkflow()!, gone);
  edit((workflow) => removeItems(workflow, gone));
  selectAndFocus(next);
  announce(gone.size === 1 ? "Deleted" : `Deleted ${gone.size}`);
}

/** Selects, and takes the focus there; without a node to the canvas itself. */
export function selectAndFocus(id: string | null | undefined, all: Iterable<string> = id ? [id] : []): void {
  select(all);
  if (id) canvasActions()?.reveal(id);
  canvasActions()?.focus(id ?? undefined);
}
