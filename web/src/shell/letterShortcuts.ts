/** Whether single letters are shortcuts, a setting of this browser. */

import { readStored, writeStored } from "../api/storage";
import { commandStore } from "../state/commands";

const STORAGE_KEY = "toolweave.letters";

export function loadLetterKeys(): void {
  commandStore.setState({ hasLetterKeys: readStored("localStorage", STORAGE_KEY) !== "off" });
}

export function storeLetterKeys(hasLetterKeys: boolean): void {
  writeStored("localStorage", STORAGE_KEY, hasLetterKeys ? "on" : "off");
  commandStore.setState({ hasLetterKeys });
}
