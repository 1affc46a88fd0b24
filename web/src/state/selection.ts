/** What is selected, and where the focus goes with it. */

import { announce } from "./announcements";
import { currentWorkflow, documentStore, edit, select } from "./document";
import { remove, withContents } from "../model/workflow/edits";
import { canvasActions } from "./panels";
import { heir } from "../model/workflow/navigation";

/** What stands in a group stays, unless it shall go with it. */
export function removeSelection(isWhole = false): void {
  const gone = isWhole ? withContents(currentWorkflow()!, documentStore.getState().selection) : documentStore.getState().selection;
  const next = heir(currentWorkflow()!, gone);
  edit((workflow) => remove(workflow, gone));
  goTo(next);
  announce(gone.size === 1 ? "Deleted" : `Deleted ${gone.size}`);
}

/** Selects, and takes the focus there; without a node to the canvas itself. */
export function goTo(id: string | null | undefined, all: Iterable<string> = id ? [id] : []): void {
  select(all);
  if (id) canvasActions()?.reveal(id);
  canvasActions()?.focus(id ?? undefined);
}
