/** Notices about the open workflow: that unsaved edits were restored, and the offer to discard them. */

import { isDirty } from "./document";
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
      action: { title: "Undo", run: () => store.setState(before) },
    });
    // Later edits would be lost with the state from before.
    const { history } = store.getState();
    const stop = store.subscribe((now) => {
      if (now.history === history) return;
      dismiss(undo);
      stop();
    });
  };
  const id = notifyWhileOpen(editor, message, {
    action: { title: "Discard draft", run },
    isOfPage: true,
  });
  const stop = store.subscribe((now) => {
    // What is saved is no draft.
    if (isDirty(now)) return;
    dismiss(id);
    stop();
  });
}

/** A notice about a workflow, which ends when another one is opened. */
export function notifyWhileOpen(editor: Editor, message: string, more: Partial<Notice>): number {
  const id = notify(message, more);
  const stop = workspaceStore.subscribe((now) => {
    if (now.editor === editor) return;
    dismiss(id);
    stop();
  });
  return id;
}

/** Dismisses a notice about errors of the workflow once a version without errors was validated. */
export function dismissWhenSolved({ problems, document }: Editor, id: number): void {
  // Neither the version that was refused, nor the older one that is still reported.
  const known = new Set([document.workflow, problems.store.getState().validated]);
  const stop = problems.store.subscribe(({ all, validated }) => {
    if (known.has(validated) || all.some(({ severity }) => severity === "error")) return;
    dismiss(id);
    stop();
  });
}
