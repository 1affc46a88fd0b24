/** Copy, cut and paste of nodes through the clipboard, as the browser's own events and as commands. */

import { useEffect } from "react";
import { readStored, writeStored } from "../api/storage";
import { serializeSnippet, parseSnippet } from "../model/workflow/clipboardFormat";
import { currentWorkflow, documentStore } from "../state/document";
import { copyNodes } from "../model/workflow/edits";
import { insertSnippet } from "../state/insertSnippet";
import { notify } from "../state/notices";
import { removeSelection } from "../state/selection";

/** Where a browser keeps the clipboard from us, the last copy of any tab is here. */
const STORAGE_KEY = "toolweave.copied";
const NO_NODES = "There are no nodes in the clipboard";

const selection = () => documentStore.getState().selection;

function selectedText(): string | null {
  const workflow = currentWorkflow();
  return workflow && selection().size > 0 ? serializeSnippet(copyNodes(workflow, selection())) : null;
}

export function copyCommand(): void {
  const text = selectedText();
  if (!text) return;
  writeStored("localStorage", STORAGE_KEY, text);
  // Refused without a secure address; what was stored is pasted then.
  void navigator.clipboard?.writeText(text).catch(() => undefined);
}

export function pasteCommand(): void {
  const piece = parseSnippet(readStored("localStorage", STORAGE_KEY) ?? "");
  if (piece) insertSnippet(piece);
  else notify(NO_NODES);
}

export function duplicateCommand(): void {
  const workflow = currentWorkflow();
  if (workflow) insertSnippet(copyNodes(workflow, selection()));
}

/** Whether the event is meant for the canvas: not for a field, nor for text that is marked on the page. */
function isForCanvas(event: ClipboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return false;
  if (target.closest?.("input, textarea, select, [contenteditable='true']")) return false;
  return (
    (event.type === "paste" || document.getSelection()?.isCollapsed !== false) && currentWorkflow() !== null
  );
}

function onCopy(event: ClipboardEvent): void {
  const { isReadOnly } = documentStore.getState();
  const text = isForCanvas(event) ? selectedText() : null;
  if (!text || (event.type === "cut" && isReadOnly)) return;
  event.clipboardData?.setData("text/plain", text);
  event.preventDefault();
  writeStored("localStorage", STORAGE_KEY, text);
  if (event.type === "cut") removeSelection();
}

function onPaste(event: ClipboardEvent): void {
  if (!isForCanvas(event) || documentStore.getState().isReadOnly) return;
  const piece = parseSnippet(event.clipboardData?.getData("text/plain") ?? "");
  event.preventDefault();
  if (piece) insertSnippet(piece);
  else notify(NO_NODES);
}

export function useClipboard(): void {
  useEffect(() => {
    document.addEventListener("copy", onCopy);
    document.addEventListener("cut", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("cut", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  }, []);
}
