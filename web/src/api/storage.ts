/** The browser's storage; if it is blocked or full, values are kept in memory for as long as the page is open. */

export type StorageKind = "localStorage" | "sessionStorage";

const memory: Record<StorageKind, Map<string, string>> = {
  localStorage: new Map(),
  sessionStorage: new Map(),
};

export function readStored(kind: StorageKind, name: string): string | null {
  const remembered = memory[kind].get(name);
  if (remembered !== undefined) return remembered;
  try {
    return window[kind].getItem(name);
  } catch {
    return null;
  }
}

/** The names that begin with a prefix. */
export function storedNames(kind: StorageKind, prefix: string): string[] {
  const names = new Set(memory[kind].keys());
  try {
    const storage = window[kind];
    for (let index = 0; index < storage.length; index++) names.add(storage.key(index)!);
  } catch {
    // The storage is blocked; what is in memory remains.
  }
  return [...names].filter((name) => name.startsWith(prefix));
}

/** Returns whether the value will outlive the page. */
export function writeStored(kind: StorageKind, name: string, value: string): boolean {
  try {
    window[kind].setItem(name, value);
    memory[kind].delete(name);
    return true;
  } catch {
    removeStored(kind, name);
    memory[kind].set(name, value);
    return false;
  }
}

export function removeStored(kind: StorageKind, name: string): void {
  memory[kind].delete(name);
  try {
    window[kind].removeItem(name);
  } catch {
    // Nothing was stored there.
  }
}
