/** Two versions on one canvas: what was added, changed and removed is marked, and nothing can be edited. */

import { useMemo } from "react";
import { Canvas } from "../features/canvas/Canvas";
import type { VersionDifference } from "../model/workflow/versionDifference";
import { useSpecs } from "../queries/catalog";
import { Editor } from "../state/editor";
import { EditorContext } from "../state/editorContext";

/** Null while there is nothing to compare. */
export function useComparison(comparison: VersionDifference | null): Editor | null {
  return useMemo(() => {
    if (!comparison) return null;
    const editor = new Editor({ workflow: comparison.workflow, isReadOnly: true });
    editor.changes = comparison.changes;
    return editor;
  }, [comparison]);
}

export function ComparisonCanvas({ editor }: { editor: Editor }) {
  const specs = useSpecs();
  return (
    <EditorContext key={editor.id} value={editor}>
      <Canvas workflow={editor.document.workflow} specs={specs} isReadOnly />
    </EditorContext>
  );
}
