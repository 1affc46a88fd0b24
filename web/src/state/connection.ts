/** Whether the service answers: edits go on without it, and what was asked for is asked again. */

import { createStore } from "zustand/vanilla";
import { onHeard } from "../api/client";

export type Link = "up" | "down" | "refused";

export const connectionStore = createStore<{ link: Link }>(() => ({ link: "up" }));

const LOOK_EVERY_MS = 1_000;
let looking = false;

/** Listens to every request, and asks by itself while nobody answers. */
export function watchConnection(onBack: () => void): () => void {
  return onHeard((heard) => {
    const before = connectionStore.getState().link;
    if (heard === "refused") connectionStore.setState({ link: "refused" });
    // Only another key ends that: streams that end meanwhile say nothing new.
    else if (before === "refused") return;
    else if (heard === "silent") {
      connectionStore.setState({ link: "down" });
      void lookAgain(onBack);
    } else if (before === "down") connectionStore.setState({ link: "up" });
  });
}

async function lookAgain(onBack: () => void): Promise<void> {
  if (looking) return;
  looking = true;
  while (!(await isAlive())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  looking = false;
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
