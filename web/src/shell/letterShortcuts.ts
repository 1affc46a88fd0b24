/** Whether letters alone are commands, as this browser was told. */

import { readStored, store } from "../api/storage";
import { commandStore } from "../state/commands";

const STORED = "toolweave.letters";

export function readLetters(): void {
  commandStore.setState({ hasLetters: readStored("localStorage", STORED) !== "off" });
}

export function keepLetters(hasLetters: boolean): void {
  store("localStorage", STORED, hasLetters ? "on" : "off");
  commandStore.setState({ hasLetters });
}
