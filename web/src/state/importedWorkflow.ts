/** Opens the workflow of a file as a new one; it is laid out if its nodes cover each other. */

import { fitGroups, needsLayout } from "../model/layout/imported";
import type { Workflow } from "../model/workflow/workflow";
import type { Editor } from "./editor";
import { tidyWorkflow } from "./layoutWorker";
import { openNewWorkflow } from "./workspace";

const MAX_FRAMES = 600;

/** Returns the id of its draft. */
export function openImported(workflow: Workflow): string {
  const editor = openNewWorkflow(workflow);
  arrangeWhenShown(editor);
  return editor.document.draftId!;
}

/** The canvas knows how large the nodes are. */
function arrangeWhenShown(editor: Editor, frames = MAX_FRAMES): void {
  const { canvas, document } = editor;
  if (!canvas) {
    if (frames > 0) requestAnimationFrame(() => arrangeWhenShown(editor, frames - 1));
    return;
  }
  const sizes = canvas.sizes();
  if (needsLayout(document.workflow, sizes)) tidyWorkflow(editor);
  else document.edit((workflow) => fitGroups(workflow, sizes));
}
