/** Inserts nodes that were pasted, duplicated or read from a file, as one step that can be undone. */

import { offsetTo, pasteOffset } from "../model/layout/placement";
import type { Snippet } from "../model/workflow/edits";
import { pasteSnippet } from "../model/workflow/edits";
import type { Position } from "../model/workflow/workflow";
import { announce } from "./announcements";
import type { Editor } from "./editor";
import { selectAndFocus } from "./selection";

/** Inserts next to the existing nodes, or with the upper left corner at a position. */
export function insertSnippet(editor: Editor, snippet: Snippet, at?: Position): void {
  if (snippet.nodes.length === 0) return;
  const { workflow } = editor.document;
  const offset = at ? offsetTo(snippet, at) : pasteOffset(workflow, snippet);
  const { workflow: pasted, ids } = pasteSnippet(workflow, snippet, offset);
  editor.document.replace(pasted);
  selectAndFocus(editor, ids[0], ids);
  announce(ids.length === 1 ? "Pasted 1 node" : `Pasted ${ids.length} nodes`);
}
