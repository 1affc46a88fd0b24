/** The key the page asks with: it arrives in the fragment and stays in this tab's storage. */

import { removeStored, readStored, writeStored } from "./storage";

const STORAGE_KEY = "toolweave.token";

/** Takes the token out of the address, so that it is neither seen nor kept in the history. */
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

/** Keeps a key; an address with one in it, as `toolweave serve` prints it, is as good. */
export function storeToken(input: string): void {
  const token = /#token=([A-Za-z0-9_-]+)/.exec(input)?.[1] ?? input;
  // Nothing else can be in a key, and a header takes no other alphabet.
  writeStored("sessionStorage", STORAGE_KEY, token.replace(/[^A-Za-z0-9_-]/g, ""));
}

export function dropToken(): void {
  removeStored("sessionStorage", STORAGE_KEY);
}
