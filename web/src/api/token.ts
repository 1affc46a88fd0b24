/** The key the page asks with: it arrives in the fragment and stays in this tab's storage. */

import { forget, readStored, store } from "./storage";

const STORED = "toolweave.token";

/** Takes the token out of the address, so that it is neither seen nor kept in the history. */
export function takeToken(): string | null {
  const found = /^#token=([A-Za-z0-9_-]+)$/.exec(window.location.hash);
  if (found?.[1]) {
    keepToken(found[1]);
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
  }
  return currentToken();
}

export function currentToken(): string | null {
  return readStored("sessionStorage", STORED);
}

/** Keeps a key; an address with one in it, as `toolweave serve` prints it, is as good. */
export function keepToken(typed: string): void {
  const token = /#token=([A-Za-z0-9_-]+)/.exec(typed)?.[1] ?? typed;
  // Nothing else can be in a key, and a header takes no other alphabet.
  store("sessionStorage", STORED, token.replace(/[^A-Za-z0-9_-]/g, ""));
}

export function dropToken(): void {
  forget("sessionStorage", STORED);
}
