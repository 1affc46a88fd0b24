/** Somebody else saved the workflow meanwhile: both versions, until a person decides. */

import { createStore } from "zustand/vanilla";
import type { Workflow } from "../model/workflow/workflow";

export interface Conflict {
  name: string;
  mine: Workflow;
  theirs: Workflow | null;
  current: string | null;
}

export const conflictStore = createStore<{ conflict: Conflict | null }>(() => ({ conflict: null }));
