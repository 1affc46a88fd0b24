/** The page of all MCP servers. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import { useServers } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { AddDialog } from "./AddDialog";
import { DiscoverDialog } from "./DiscoverDialog";
import { ServerBrowser } from "./ServerBrowser";
import "./servers.css";

interface Props {
  chosen: string | null;
  /** Opens the servers of other programs at once. */
  isImporting?: boolean;
}

export function ServersPage({ chosen, isImporting = false }: Props) {
  const [openDialog, setOpenDialog] = useState<"add" | "discover" | null>(isImporting ? "discover" : null);
  const { data: servers, error } = useServers();
  const isChosen = ({ id, name }: { id: string; name: string }) => id === chosen || name === chosen;
  const buttons = (
    <div className="row">
      <Button icon="search" onClick={() => setOpenDialog("discover")}>
        Import from Claude, Cursor…
      </Button>
      <Button look="primary" icon="plus" onClick={() => setOpenDialog("add")}>
        Add a server
      </Button>
    </div>
  );
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Servers</h1>
          {servers?.length !== 0 && buttons}
        </div>
        {error && <p role="alert">{error.message}</p>}
        {servers?.length === 0 && (
          <EmptyState icon="server" title="No servers yet">
            <p>
              Add one by its command, its address or JSON, or import the servers that other programs on this
              machine use.
            </p>
            {buttons}
          </EmptyState>
        )}
        {chosen && servers && servers.length > 0 && !servers.some(isChosen) && (
          <p role="status">There is no server {safeText(chosen).text}. It may have been removed.</p>
        )}
        {servers && servers.length > 0 && <ServerBrowser servers={servers} first={chosen} />}
      </div>
      {openDialog === "add" && <AddDialog onClose={() => setOpenDialog(null)} />}
      {openDialog === "discover" && <DiscoverDialog onClose={() => setOpenDialog(null)} />}
    </div>
  );
}
