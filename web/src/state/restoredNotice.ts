/** Says that unsaved edits were restored, and offers to discard them while their workflow is open. */

import type { Editor } from "./editor";
import type { Notice } from "./notices";
import { dismiss, notify } from "./notices";
import { workspaceStore } from "./workspace";

export function notifyRestored(editor: Editor, message: string, discard: () => void): void {
  const { store } = editor.document;
  const run = () => {
    const before = store.getState();
    discard();
    const undo = notifyWhileOpen(editor, "Draft discarded", {
      title: "Undo",
      run: () => store.setState(before),
    });
    // Later edits would be lost with the state from before.
    const { history } = store.getState();
    const stop = store.subscribe((now) => {
      if (now.history === history) return;
      dismiss(undo);
      stop();
    });
  };
  notifyWhileOpen(editor, message, { title: "Discard draft", run });
}

function notifyWhileOpen(editor: Editor, message: string, action: NonNullable<Notice["action"]>): number {
  const id = notify(message, { action });
  const stop = workspaceStore.subscribe((now) => {
    if (now.editor === editor) return;
    dismiss(id);
    stop();
  });
  return id;
}
