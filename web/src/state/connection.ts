/** Whether the service answers. Editing continues without it, and queries are refetched when it is back. */

import { createStore } from "zustand/vanilla";
import { onConnectionSignal } from "../api/client";

export type LinkState = "up" | "down" | "refused";

export const connectionStore = createStore<{ link: LinkState }>(() => ({ link: "up" }));

const PROBE_INTERVAL_MS = 1_000;
let isProbing = false;

/** Watches every request, and probes the service while it does not answer. */
export function watchConnection(onBack: () => void): () => void {
  return onConnectionSignal((heard) => {
    const before = connectionStore.getState().link;
    if (heard === "refused") connectionStore.setState({ link: "refused" });
    // Only a new key ends this state; streams that end in the meantime do not.
    else if (before === "refused") return;
    else if (heard === "silent") {
      connectionStore.setState({ link: "down" });
      void probeUntilAlive(onBack);
    } else if (before === "down") connectionStore.setState({ link: "up" });
  });
}

async function probeUntilAlive(onBack: () => void): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  while (!(await isAlive())) await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
  isProbing = false;
  if (connectionStore.getState().link === "down") connectionStore.setState({ link: "up" });
  onBack();
}

async function isAlive(): Promise<boolean> {
  try {
    return (await fetch("/health", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
