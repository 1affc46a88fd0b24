/** The versions of what the service has, as it told them last. */

import { createStore } from "zustand/vanilla";
import type { Versions } from "../api/changeEvents";

export const versionStore = createStore<{ versions: Versions }>(() => ({ versions: {} }));

/** Takes in what was told; the topics that are not as they were. */
export function updateVersions(received: Versions): string[] {
  const { versions } = versionStore.getState();
  const changed = Object.keys(received).filter((topic) => versions[topic] !== received[topic]);
  if (changed.length > 0) versionStore.setState({ versions: { ...versions, ...received } });
  return changed;
}
