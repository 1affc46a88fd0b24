/** The key the page asks with: it arrives in the fragment and stays in this tab's storage. */

const STORED = "toolweave.token";

/** Takes the token out of the address, so that it is neither seen nor kept in the history. */
export function takeToken(): string | null {
  const found = /^#token=([A-Za-z0-9_-]+)$/.exec(window.location.hash);
  if (found?.[1]) {
    sessionStorage.setItem(STORED, found[1]);
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
  }
  return currentToken();
}

export function currentToken(): string | null {
  return sessionStorage.getItem(STORED);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(STORED, token.trim());
}

export function dropToken(): void {
  sessionStorage.removeItem(STORED);
}
