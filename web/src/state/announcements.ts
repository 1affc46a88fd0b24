/** Messages for screen readers: what was done, and the progress of a run. */

import { createStore } from "zustand/vanilla";

export interface Announcement {
  message: string;
  /** A new number repeats the same message. */
  number: number;
}

export const announcementStore = createStore<Announcement>(() => ({ message: "", number: 0 }));

export function announce(message: string): void {
  announcementStore.setState(({ number }) => ({ message, number: number + 1 }));
}
