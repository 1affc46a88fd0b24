/** Servers in the configuration files of other programs, which are only read. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import type { Discovered } from "../../queries/servers";
import { CATALOG, importServers, SERVERS, useDiscovered } from "../../queries/servers";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";

export function DiscoverDialog({ onClose }: { onClose(): void }) {
  const { data: servers, error } = useDiscovered();
  const [imported, setImported] = useState<Discovered[] | null>(null);
  const [isBusy, runAction] = useAction(SERVERS, CATALOG);
  const importNamed = (names: string[]) =>
    void runAction("Not imported", async () => setImported(await importServers(names)));
  const all = (servers ?? []).filter(canImport).map((server) => server.name);
  return (
    <Dialog
      title="Import servers from other programs"
      wide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button look="primary" disabled={isBusy || all.length === 0} onClick={() => importNamed(all)}>
            Import all
          </Button>
        </>
      }
    >
      {error && <p role="alert">{error.message}</p>}
      {!servers && !error && <p className="faint">Searching…</p>}
      {servers?.length === 0 && (
        <p>No other program on this machine has MCP servers configured. Add one from JSON instead.</p>
      )}
      {servers && servers.length > 0 && (
        <table className="table" aria-label="Import servers from other programs">
          <thead>
            <tr>
              <th>Server</th>
              <th>Program</th>
              <th>Scope</th>
              <th>
                <span className="visually-hidden">Import</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {servers.map((server, at) => (
              <tr key={at}>
                <td>
                  <bdi>{safeText(server.name).text}</bdi> {server.type && <Badge>{server.type}</Badge>}
                  <div className="faint mono">{server.foundIn}</div>
                  {server.shadowedBy && <div className="faint">hidden by the one in {server.shadowedBy}</div>}
                  {server.problems.map((problem, index) => (
                    <div key={index} className="field__fault">
                      {problem.message}
                    </div>
                  ))}
                </td>
                <td>{server.client}</td>
                <td>{server.scope}</td>
                <td>
                  {imported?.[at]?.import ?? (
                    <Button
                      disabled={isBusy || !canImport(server)}
                      aria-label={`Import ${server.name}`}
                      onClick={() => importNamed([server.name])}
                    >
                      Import
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function canImport(server: Discovered): boolean {
  return server.type !== null && server.shadowedBy === null;
}
