/** Changes of the selection that move the focus along with it. */

import { removeItems, withGroupContents } from "../model/workflow/edits";
import { nodeAfterRemoval } from "../model/workflow/navigation";
import { announce } from "./announcements";
import type { Editor } from "./editor";

/** Removes what is selected; the contents of a group stay unless `withContents` is set. */
export function removeSelection(editor: Editor, withContents = false): void {
  const { workflow, selection } = editor.document;
  const removed = withContents ? withGroupContents(workflow, selection) : selection;
  const next = nodeAfterRemoval(workflow, removed);
  editor.document.edit((current) => removeItems(current, removed));
  selectAndFocus(editor, next);
  announce(removed.size === 1 ? "Deleted" : `Deleted ${removed.size}`);
}

/** Selects nodes and moves the focus to one of them; without a node, to the canvas itself. */
export function selectAndFocus(
  editor: Editor,
  id: string | null | undefined,
  all: Iterable<string> = id ? [id] : [],
): void {
  editor.document.select(all);
  if (id) editor.canvas?.reveal(id);
  editor.canvas?.focus(id ?? undefined);
}
