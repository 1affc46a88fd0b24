/** A workflow file dropped on the page: on the canvas its nodes are inserted, elsewhere it is opened. */

import { useEffect, useState } from "react";
import { importFile } from "../queries/importedFiles";
import { openImported } from "../state/importedWorkflow";
import { insertSnippet } from "../state/nodeInsertion";
import { notify } from "../state/notices";
import { navigate } from "../state/route";
import { currentEditor } from "../state/workspace";

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function isOnCanvas(event: DragEvent): boolean {
  const editor = currentEditor();
  if (!editor || editor.document.isReadOnly) return false;
  return (event.target as HTMLElement).closest?.(".canvas") !== null;
}

async function openDroppedFile(event: DragEvent): Promise<void> {
  const files = [...(event.dataTransfer?.files ?? [])];
  const [file] = files;
  if (!file) return;
  const editor = isOnCanvas(event) ? currentEditor() : null;
  const position = editor?.canvas?.positionAt(event.clientX, event.clientY);
  const imported = await importFile(file);
  if (!imported) return;
  if (editor && position) insertSnippet(editor, imported.workflow, position);
  else navigate("new", openImported(imported.workflow));
  if (files.length > 1) notify(`Only ${file.name} was imported; drop the other files one by one`);
}

/** What dropping the dragged file would do; null while none is dragged. */
export function useFileDrop(): string | null {
  const [hint, setHint] = useState<string | null>(null);
  useEffect(() => {
    // Without this the browser would leave the studio and open the file.
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setHint(isOnCanvas(event) ? "Drop to add its nodes to this workflow" : "Drop to open the workflow");
    };
    const onDragLeave = (event: DragEvent) => event.relatedTarget === null && setHint(null);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setHint(null);
      void openDroppedFile(event);
    };
    window.addEventListener("dragover", onDragOver);
    window.addEventListener("dragleave", onDragLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onDragOver);
      window.removeEventListener("dragleave", onDragLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
  return hint;
}
