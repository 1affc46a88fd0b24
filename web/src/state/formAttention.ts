/** The nodes whose missing values are shown as errors: a form that nobody touched yet has none. */

import { createStore } from "zustand/vanilla";

const NO_NODES: ReadonlySet<string> = new Set();

export class FormAttention {
  readonly store = createStore<{ nodes: ReadonlySet<string>; isEverywhere: boolean }>(() => ({
    nodes: NO_NODES,
    isEverywhere: false,
  }));

  /** The node was edited or run, or its problems were opened. */
  add(node: string): void {
    const { nodes } = this.store.getState();
    if (!nodes.has(node)) this.store.setState({ nodes: new Set(nodes).add(node) });
  }

  /** The whole workflow was run. */
  addAll(): void {
    this.store.setState({ isEverywhere: true });
  }
}
