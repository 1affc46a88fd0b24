/** Says that unsaved edits were restored, and offers to discard them while their workflow is open. */

import type { Editor } from "./editor";
import { dismiss, notify } from "./notices";
import { workspaceStore } from "./workspace";

export function notifyRestored(editor: Editor, message: string, discard: () => void): void {
  const id = notify(message, { action: { title: "Discard draft", run: discard } });
  const stop = workspaceStore.subscribe((now) => {
    if (now.editor === editor) return;
    dismiss(id);
    stop();
  });
}
