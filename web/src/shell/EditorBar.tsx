/** The bar above the canvas: name, state, and what is done most. */

import { useStore } from "zustand";
import { documentStore, isDirty, redoEdit, undoEdit } from "../model/documentStore";
import { show, viewStore } from "../model/viewStore";
import type { Workflow } from "../model/workflow";
import { Badge } from "../ui/Badge";
import { IconButton } from "../ui/Button";

export function EditorBar({ workflow }: { workflow: Workflow }) {
  const dirty = useStore(documentStore, isDirty);
  const canUndo = useStore(documentStore, (state) => (state.history?.past.length ?? 0) > 0);
  const canRedo = useStore(documentStore, (state) => (state.history?.future.length ?? 0) > 0);
  const { hasPalette, side } = useStore(viewStore);
  return (
    <header className="editor__bar">
      <IconButton label="Palette" icon="palette" aria-pressed={hasPalette} onClick={() => show({ hasPalette: !hasPalette })} />
      <span className="editor__name">{workflow.name}</span>
      <Badge tone={dirty ? "warn" : "plain"}>{dirty ? "unsaved" : "saved"}</Badge>
      <span className="editor__divider" />
      <IconButton label="Undo" icon="undo" disabled={!canUndo} onClick={undoEdit} />
      <IconButton label="Redo" icon="redo" disabled={!canRedo} onClick={redoEdit} />
      <span className="editor__space" />
      <IconButton label="JSON" icon="braces" aria-pressed={side === "json"} onClick={() => show({ side: side === "json" ? "inspector" : "json" })} />
    </header>
  );
}
