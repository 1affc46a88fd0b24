/** Change notifications of the service. All tabs share one stream, because browsers limit connections per host. */

import { emitConnectionSignal } from "./client";
import { followStream } from "./eventStream";

/** The current version of each topic; the text differs after every change. */
export type Versions = Record<string, string>;

type Message = { kind: "versions"; versions: Versions } | { kind: "ask" } | { kind: "lost" };

const CHANNEL = "toolweave.events";
const PATH = "/api/v1/events";

/** Calls back with new versions, from our own stream or from the tab that holds it. */
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
  // A key without permission to listen leaves the page with its regular refetching.
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

/** Browsers provide locks only in secure contexts: on localhost or over https. */
function canShare(): boolean {
  return typeof BroadcastChannel === "function" && "locks" in navigator;
}
