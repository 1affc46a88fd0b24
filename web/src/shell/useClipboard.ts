/** Copy, cut and paste of nodes through the clipboard, as the browser's own events and as commands. */

import { useEffect } from "react";
import { readStored, store } from "../api/storage";
import { copyText, readPiece } from "../model/workflow/clipboardFormat";
import { currentWorkflow, documentStore } from "../state/document";
import { copied } from "../model/workflow/edits";
import { insert } from "../state/insertSnippet";
import { notify } from "../state/notices";
import { removeSelection } from "../state/selection";

/** Where a browser keeps the clipboard from us, the last copy of any tab is here. */
const COPIED = "toolweave.copied";
const NOTHING = "There are no nodes in the clipboard";

const selection = () => documentStore.getState().selection;

function selectedText(): string | null {
  const workflow = currentWorkflow();
  return workflow && selection().size > 0 ? copyText(copied(workflow, selection())) : null;
}

export function copyCommand(): void {
  const text = selectedText();
  if (!text) return;
  store("localStorage", COPIED, text);
  // Refused without a secure address; what was stored is pasted then.
  void navigator.clipboard?.writeText(text).catch(() => undefined);
}

export function pasteCommand(): void {
  const piece = readPiece(readStored("localStorage", COPIED) ?? "");
  if (piece) insert(piece);
  else notify(NOTHING);
}

export function duplicateCommand(): void {
  const workflow = currentWorkflow();
  if (workflow) insert(copied(workflow, selection()));
}

/** Whether the event is meant for the canvas: not for a field, nor for text that is marked on the page. */
function isOurs(event: ClipboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return false;
  if (target.closest?.("input, textarea, select, [contenteditable='true']")) return false;
  return (event.type === "paste" || document.getSelection()?.isCollapsed !== false) && currentWorkflow() !== null;
}

function onCopy(event: ClipboardEvent): void {
  const { isReadOnly } = documentStore.getState();
  const text = isOurs(event) ? selectedText() : null;
  if (!text || (event.type === "cut" && isReadOnly)) return;
  event.clipboardData?.setData("text/plain", text);
  event.preventDefault();
  store("localStorage", COPIED, text);
  if (event.type === "cut") removeSelection();
}

function onPaste(event: ClipboardEvent): void {
  if (!isOurs(event) || documentStore.getState().isReadOnly) return;
  const piece = readPiece(event.clipboardData?.getData("text/plain") ?? "");
  event.preventDefault();
  if (piece) insert(piece);
  else notify(NOTHING);
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
