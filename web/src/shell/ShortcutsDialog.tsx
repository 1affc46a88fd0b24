import { useStore } from "zustand";
import { commandStore, shownKeys } from "../state/commands";
import { Dialog } from "../ui/Dialog";
import { keepLetters } from "./letterShortcuts";

/** Every key there is, from the one key map; the table in docs/studio.md is the same. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  const { commands, hasLetters } = useStore(commandStore);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <label className="row">
        <input type="checkbox" checked={hasLetters} onChange={(event) => keepLetters(event.target.checked)} />
        Letters and digits alone are commands
      </label>
      <table className="table" aria-label="Keys">
        <thead>
          <tr>
            <th>What</th>
            <th>Keys</th>
          </tr>
        </thead>
        <tbody>
          {commands
            .filter((one) => one.keys)
            .map((one) => (
              <tr key={one.id}>
                <td>{one.title}</td>
                <td className="keys">
                  {one.keys!.split(" ").map((keys) => (
                    <kbd key={keys} className="kbd">
                      {shownKeys(keys)}
                    </kbd>
                  ))}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </Dialog>
  );
}
