/** Hands the editor of the open workflow down to the components that show it. */

import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Pin } from "../model/workflow/studioData";
import type { DocumentState } from "./document";
import type { Editor } from "./editor";
import type { ProblemState } from "./problems";
import type { RunState } from "./run";

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("useEditor is called outside of an EditorContext");
  return editor;
}

export function useDocument<Selected>(select: (state: DocumentState) => Selected): Selected {
  return useStore(useEditor().document.store, select);
}

export function useProblems<Selected>(select: (state: ProblemState) => Selected): Selected {
  return useStore(useEditor().problems.store, select);
}

export function useRunState<Selected>(select: (state: RunState) => Selected): Selected {
  return useStore(useEditor().run.store, select);
}

/** The outputs of nodes that were run alone since the run on the canvas, by node. */
export function useStepOutputs(): Readonly<Record<string, Pin>> {
  const { run, stepOutputs } = useEditor();
  const id = useStore(run.store, (state) => state.run?.id ?? null);
  return useStore(stepOutputs.store, () => stepOutputs.of(id));
}
