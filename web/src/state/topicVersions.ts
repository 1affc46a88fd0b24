/** The versions of what the service has, as it told them last. */

import { createStore } from "zustand/vanilla";
import type { Versions } from "../api/changeEvents";

export const liveStore = createStore<{ versions: Versions }>(() => ({ versions: {} }));

/** Takes in what was told; the topics that are not as they were. */
export function takeVersions(told: Versions): string[] {
  const { versions } = liveStore.getState();
  const fresh = Object.keys(told).filter((topic) => versions[topic] !== told[topic]);
  if (fresh.length > 0) liveStore.setState({ versions: { ...versions, ...told } });
  return fresh;
}
