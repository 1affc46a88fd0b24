/** Whether the service answers: edits go on without it, and what was asked for is asked again. */

import { createStore } from "zustand/vanilla";
import { onConnectionSignal } from "../api/client";

export type LinkState = "up" | "down" | "refused";

export const connectionStore = createStore<{ link: LinkState }>(() => ({ link: "up" }));

const PROBE_INTERVAL_MS = 1_000;
let isProbing = false;

/** Listens to every request, and asks by itself while nobody answers. */
export function watchConnection(onBack: () => void): () => void {
  return onConnectionSignal((heard) => {
    const before = connectionStore.getState().link;
    if (heard === "refused") connectionStore.setState({ link: "refused" });
    // Only another key ends that: streams that end meanwhile say nothing new.
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
