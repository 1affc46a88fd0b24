/** The nodes whose missing values are shown as errors: a form that nobody touched yet has none. */

import { createStore } from "zustand/vanilla";

const NO_NODES: ReadonlySet<string> = new Set();

export class FormAttention {
  readonly store = createStore<{ nodes: ReadonlySet<string> }>(() => ({ nodes: NO_NODES }));

  /** The nodes were edited or run, or their problems were opened. */
  add(...added: string[]): void {
    const { nodes } = this.store.getState();
    if (added.some((node) => !nodes.has(node))) this.store.setState({ nodes: new Set([...nodes, ...added]) });
  }
}
