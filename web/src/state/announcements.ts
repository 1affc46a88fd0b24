/** Words for those who hear the page: what was done, and how a run stands. */

import { createStore } from "zustand/vanilla";

export interface Announcement {
  message: string;
  /** Another number makes the same words be said again. */
  number: number;
}

export const announcementStore = createStore<Announcement>(() => ({ message: "", number: 0 }));

export function announce(message: string): void {
  announcementStore.setState(({ number }) => ({ message, number: number + 1 }));
}
