/** The trigger that listens for a test event; one at a time, for as long as the page is open. */

import { createStore } from "zustand/vanilla";

export interface Listening {
  /** The editor and the node that listen; null if none does. */
  editor: number | null;
  node: string | null;
}

export const listeningStore = createStore<Listening>(() => ({ editor: null, node: null }));
