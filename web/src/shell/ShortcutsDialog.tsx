import { useStore } from "zustand";
import { commandStore, formatKeys } from "../state/commands";
import { Dialog } from "../ui/Dialog";
import { storeLetterKeys } from "./letterShortcuts";

/** All keyboard shortcuts, from the registered commands; docs/studio.md has the same table. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { commands, hasLetterKeys } = useStore(commandStore);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <label className="row">
        <input
          type="checkbox"
          checked={hasLetterKeys}
          onChange={(event) => storeLetterKeys(event.target.checked)}
        />
        Enable single-key shortcuts
      </label>
      <table className="table" aria-label="Keyboard shortcuts">
        <thead>
          <tr>
            <th>Command</th>
            <th>Keys</th>
          </tr>
        </thead>
        <tbody>
          {commands
            .filter((command) => command.keys)
            .map((command) => (
              <tr key={command.id}>
                <td>{command.title}</td>
                <td className="keys">
                  {command.keys!.split(" ").map((keys) => (
                    <kbd key={keys} className="kbd">
                      {formatKeys(keys)}
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
