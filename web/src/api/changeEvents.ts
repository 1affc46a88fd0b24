/** What changed at home: one stream for all tabs, as a browser opens no more than six to a host. */

import { tellHeard } from "./client";
import { follow } from "./eventStream";

/** A text for each topic that is another one after a change. */
export type Versions = Record<string, string>;

type Message = { kind: "versions"; versions: Versions } | { kind: "ask" } | { kind: "lost" };

const NAME = "toolweave.events";
const PATH = "/api/v1/events";

/** Tells versions as they come, by our own stream or by the tab that has it. */
export function followChanges(onVersions: (versions: Versions) => void): () => void {
  const stop = new AbortController();
  const channel = canShare() ? new BroadcastChannel(NAME) : null;
  const known: Versions = {};
  let leads = false;
  const say = (message: Message) => channel?.postMessage(message);
  const take = (versions: Versions) => {
    Object.assign(known, versions);
    onVersions(versions);
  };
  const lead = async () => {
    leads = true;
    await follow(PATH, {
      signal: stop.signal,
      onEvent: ({ data }) => {
        const versions = JSON.parse(data) as Versions;
        take(versions);
        say({ kind: "versions", versions });
      },
      onState: (isOpen) => isOpen || say({ kind: "lost" }),
    });
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "versions") take(data.versions);
    else if (data.kind === "lost") tellHeard("silent");
    else if (leads) say({ kind: "versions", versions: known });
  });
  // A key that may not listen leaves the page to ask now and then.
  const nothing = () => {};
  if (channel) {
    say({ kind: "ask" });
    navigator.locks.request(NAME, { signal: stop.signal }, lead).catch(nothing);
  } else lead().catch(nothing);
  return () => {
    stop.abort();
    channel?.close();
  };
}

/** Browsers have locks only where the page is safe from others: on this machine, or by https. */
function canShare(): boolean {
  return typeof BroadcastChannel === "function" && "locks" in navigator;
}
