/** Copy, cut and paste of nodes, through clipboard events of the browser and as commands. */

import { useEffect } from "react";
import { readStored, writeStored } from "../api/storage";
import { serializeSnippet, parseSnippet } from "../model/workflow/clipboardFormat";
import { copyNodes } from "../model/workflow/edits";
import type { Editor } from "../state/editor";
import { insertSnippet } from "../state/nodeInsertion";
import { notify } from "../state/notices";
import { removeSelection } from "../state/selection";

/** The last copy of any tab, for browsers that deny access to the clipboard. */
const STORAGE_KEY = "toolweave.copied";
const NO_NODES = "No nodes in the clipboard";

function selectedText({ document: { workflow, selection } }: Editor): string | null {
  return selection.size > 0 ? serializeSnippet(copyNodes(workflow, selection)) : null;
}

export function copySelection(editor: Editor): void {
  const text = selectedText(editor);
  if (!text) return;
  writeStored("localStorage", STORAGE_KEY, text);
  // Browsers refuse this on an insecure address; then the stored text is pasted.
  void navigator.clipboard?.writeText(text).catch(() => undefined);
}

export function pasteLastCopy(editor: Editor): void {
  pasteText(editor, readStored("localStorage", STORAGE_KEY) ?? "");
}

export function duplicateSelection(editor: Editor): void {
  const { workflow, selection } = editor.document;
  insertSnippet(editor, copyNodes(workflow, selection));
}

function pasteText(editor: Editor, text: string): void {
  const snippet = parseSnippet(text);
  if (snippet) insertSnippet(editor, snippet);
  else notify(NO_NODES);
}

/** Whether a clipboard event is for the canvas: not for a field, and not for text selected on the page. */
function isForCanvas(event: ClipboardEvent): boolean {
  const target = (event.composedPath()[0] ?? event.target) as HTMLElement;
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return false;
  if (target.closest?.("input, textarea, select, [contenteditable='true']")) return false;
  return event.type === "paste" || document.getSelection()?.isCollapsed !== false;
}

function onCopy(editor: Editor, event: ClipboardEvent): void {
  const text = isForCanvas(event) ? selectedText(editor) : null;
  if (!text || (event.type === "cut" && editor.document.isReadOnly)) return;
  event.clipboardData?.setData("text/plain", text);
  event.preventDefault();
  writeStored("localStorage", STORAGE_KEY, text);
  if (event.type === "cut") removeSelection(editor);
}

function onPaste(editor: Editor, event: ClipboardEvent): void {
  if (!isForCanvas(event) || editor.document.isReadOnly) return;
  event.preventDefault();
  pasteText(editor, event.clipboardData?.getData("text/plain") ?? "");
}

/** Handles the clipboard events of the browser while an editor is open. */
export function useClipboard(editor: Editor | null): void {
  useEffect(() => {
    if (!editor) return;
    const copy = (event: ClipboardEvent) => onCopy(editor, event);
    const paste = (event: ClipboardEvent) => onPaste(editor, event);
    document.addEventListener("copy", copy);
    document.addEventListener("cut", copy);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("copy", copy);
      document.removeEventListener("cut", copy);
      document.removeEventListener("paste", paste);
    };
  }, [editor]);
}
