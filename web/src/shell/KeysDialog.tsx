import { useStore } from "zustand";
import { commandStore, shownKeys } from "../model/commandStore";
import { Dialog } from "../ui/Dialog";

export function KeysDialog({ onClose }: { onClose(): void }) {
  const commands = useStore(commandStore, (state) => state.commands);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table className="table">
        <tbody>
          {commands
            .filter((one) => one.keys)
            .map((one) => (
              <tr key={one.id}>
                <td>{one.title}</td>
                <td>
                  {one.keys!.split(" ").map((keys) => (
                    <span key={keys} className="kbd">
                      {shownKeys(keys)}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </Dialog>
  );
}
