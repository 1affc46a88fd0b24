/** Outputs of nodes that were run alone: other nodes read them while they are edited, until the next run. */

import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { Pin } from "../model/workflow/studioData";

type Outputs = Readonly<Record<string, Pin>>;

const NONE: Outputs = {};

export class StepOutputs {
  /** `run` is the run that was on the canvas; the data of a later one is newer. */
  readonly store: StoreApi<{ run: string | null; outputs: Outputs }> = createStore(() => ({
    run: null,
    outputs: NONE,
  }));

  of(run: string | null): Outputs {
    const state = this.store.getState();
    return state.run === run ? state.outputs : NONE;
  }

  add(run: string | null, node: string, output: Pin): void {
    this.store.setState({ run, outputs: { ...this.of(run), [node]: output } });
  }
}
