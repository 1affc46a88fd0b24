/** Words for those who hear the page: what was done, and how a run stands. */

import { createStore } from "zustand/vanilla";

export interface Announced {
  words: string;
  /** Another number makes the same words be said again. */
  number: number;
}

export const announceStore = createStore<Announced>(() => ({ words: "", number: 0 }));

export function announce(words: string): void {
  announceStore.setState(({ number }) => ({ words, number: number + 1 }));
}
