/** The browser's stores where they can be used; where they are blocked or full, as long as the page. */

export type Kind = "localStorage" | "sessionStorage";

const memory: Record<Kind, Map<string, string>> = { localStorage: new Map(), sessionStorage: new Map() };

export function readStored(kind: Kind, name: string): string | null {
  const kept = memory[kind].get(name);
  if (kept !== undefined) return kept;
  try {
    return window[kind].getItem(name);
  } catch {
    return null;
  }
}

/** Whether it will be there after the page is gone. */
export function store(kind: Kind, name: string, value: string): boolean {
  try {
    window[kind].setItem(name, value);
    memory[kind].delete(name);
    return true;
  } catch {
    forget(kind, name);
    memory[kind].set(name, value);
    return false;
  }
}

export function forget(kind: Kind, name: string): void {
  memory[kind].delete(name);
  try {
    window[kind].removeItem(name);
  } catch {
    // Nothing was kept there.
  }
}
