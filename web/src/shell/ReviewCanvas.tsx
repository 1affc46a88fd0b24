/** The canvas while a proposal waits: what it adds, changes and removes is marked; nothing can be edited. */

import { useState } from "react";
import { Canvas } from "../features/canvas/Canvas";
import type { Specs } from "../model/workflow/catalog";
import type { Review } from "../model/workflow/review";
import { Editor } from "../state/editor";
import { EditorContext } from "../state/editorContext";

export function ReviewCanvas({ review, specs }: { review: Review; specs: Specs }) {
  const [shown] = useState(() => new Editor({ workflow: review.drawing, isReadOnly: true }));
  return (
    <EditorContext value={shown}>
      <Canvas workflow={review.drawing} specs={specs} marks={review.marks} isReadOnly />
    </EditorContext>
  );
}
