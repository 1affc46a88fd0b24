/** The API key of this page: from the fragment of the address or from another tab; it is stored for this tab. */

import { removeStored, readStored, writeStored } from "./storage";

const STORAGE_KEY = "toolweave.token";

/** Removes the token from the address, so that it is neither visible nor kept in the browser history. */
export function takeTokenFromAddress(): string | null {
  const match = /^#token=([A-Za-z0-9_-]+)$/.exec(window.location.hash);
  if (match?.[1]) {
    storeToken(match[1]);
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
  }
  return currentToken();
}

export function currentToken(): string | null {
  return readStored("sessionStorage", STORAGE_KEY);
}

/** Stores a key; also accepts the whole address that `toolweave serve` prints. */
export function storeToken(input: string): void {
  const token = /#token=([A-Za-z0-9_-]+)/.exec(input)?.[1] ?? input;
  // Keys contain no other characters, and some others are not allowed in a header.
  writeStored("sessionStorage", STORAGE_KEY, token.replace(/[^A-Za-z0-9_-]/g, ""));
}

export function dropToken(): void {
  removeStored("sessionStorage", STORAGE_KEY);
}

const CHANNEL = "toolweave.token";
const QUESTION = "Which key?";

/**
 * Gives the key to new tabs of this studio, such as the one that a program opens to ask for access, and asks for it
 * if this tab has none. Only pages of this origin in this browser can hear it, and it is not written to the disk.
 */
export function shareTokenWithTabs(onToken: () => void): () => void {
  if (typeof BroadcastChannel !== "function") return () => undefined;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const own = currentToken();
    if (data === QUESTION && own !== null) channel.postMessage({ token: own });
    if (own !== null || !isAnswer(data)) return;
    storeToken(data.token);
    onToken();
  };
  if (currentToken() === null) channel.postMessage(QUESTION);
  return () => channel.close();
}

function isAnswer(data: unknown): data is { token: string } {
  return typeof data === "object" && data !== null && typeof (data as { token?: unknown }).token === "string";
}
