/** The versions of the topics of the change feed. */

import { createStore } from "zustand/vanilla";
import type { Versions } from "../api/changeEvents";

export const versionStore = createStore<{ versions: Versions }>(() => ({ versions: {} }));

/** Stores the received versions; returns the topics that changed. */
export function updateVersions(received: Versions): string[] {
  const { versions } = versionStore.getState();
  const changed = Object.keys(received).filter((topic) => versions[topic] !== received[topic]);
  if (changed.length > 0) versionStore.setState({ versions: { ...versions, ...received } });
  return changed;
}
