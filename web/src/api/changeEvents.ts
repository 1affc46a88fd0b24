/** What changed at home: one stream for all tabs, as a browser opens no more than six to a host. */

import { emitConnectionSignal } from "./client";
import { followStream } from "./eventStream";

/** A text for each topic that is another one after a change. */
export type Versions = Record<string, string>;

type Message = { kind: "versions"; versions: Versions } | { kind: "ask" } | { kind: "lost" };

const CHANNEL = "toolweave.events";
const PATH = "/api/v1/events";

/** Tells versions as they come, by our own stream or by the tab that has it. */
export function followChanges(onVersions: (versions: Versions) => void): () => void {
  const abort = new AbortController();
  const channel = canShare() ? new BroadcastChannel(CHANNEL) : null;
  const knownVersions: Versions = {};
  let isLeader = false;
  const broadcast = (message: Message) => channel?.postMessage(message);
  const receive = (versions: Versions) => {
    Object.assign(knownVersions, versions);
    onVersions(versions);
  };
  const becomeLeader = async () => {
    isLeader = true;
    await followStream(PATH, {
      signal: abort.signal,
      onEvent: ({ data }) => {
        const versions = JSON.parse(data) as Versions;
        receive(versions);
        broadcast({ kind: "versions", versions });
      },
      onState: (isOpen) => isOpen || broadcast({ kind: "lost" }),
    });
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "versions") receive(data.versions);
    else if (data.kind === "lost") emitConnectionSignal("silent");
    else if (isLeader) broadcast({ kind: "versions", versions: knownVersions });
  });
  // A key that may not listen leaves the page to ask now and then.
  const ignore = () => {};
  if (channel) {
    broadcast({ kind: "ask" });
    navigator.locks.request(CHANNEL, { signal: abort.signal }, becomeLeader).catch(ignore);
  } else becomeLeader().catch(ignore);
  return () => {
    abort.abort();
    channel?.close();
  };
}

/** Browsers have locks only where the page is safe from others: on this machine, or by https. */
function canShare(): boolean {
  return typeof BroadcastChannel === "function" && "locks" in navigator;
}
