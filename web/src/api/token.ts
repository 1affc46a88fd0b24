/** The API key of this page: it arrives in the fragment of the address and is stored for this tab. */

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
