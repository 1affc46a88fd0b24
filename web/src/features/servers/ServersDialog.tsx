/** The servers in a dialog of the editor, to add one of their tools as a node. */

import { useServers } from "../../queries/servers";
import { Dialog } from "../../ui/Dialog";
import { ServerBrowser } from "./ServerBrowser";
import "./servers.css";

export function ServersDialog({ onClose }: { onClose(): void }) {
  const { data: servers, error } = useServers();
  return (
    <Dialog title="MCP servers and their tools" wide onClose={onClose}>
      {error && <p role="alert">{error.message}</p>}
      {servers && <ServerBrowser servers={servers} first={null} onAdded={onClose} />}
      <p className="faint">
        Add or import servers on the <a href="#/servers">Servers page</a>.
      </p>
    </Dialog>
  );
}
