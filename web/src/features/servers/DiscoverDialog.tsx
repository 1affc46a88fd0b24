/** Servers in the files of other programs; their files are only read. */

import { useState } from "react";
import { shownText } from "../../model/text/untrusted";
import { useDoing } from "../../queries/action";
import type { Discovered } from "../../queries/servers";
import { CATALOG, importServers, SERVERS, useDiscovered } from "../../queries/servers";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";

export function DiscoverDialog({ onClose }: { onClose(): void }) {
  const { data: found, error } = useDiscovered();
  const [came, setCame] = useState<Discovered[] | null>(null);
  const [doing, start] = useDoing(SERVERS, CATALOG);
  const bring = (names: string[]) => void start("Not imported", async () => setCame(await importServers(names)));
  const all = (found ?? []).filter(canCome).map((one) => one.name);
  return (
    <Dialog
      title="Servers of other programs"
      wide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button look="primary" disabled={doing || all.length === 0} onClick={() => bring(all)}>
            Import all
          </Button>
        </>
      }
    >
      {error && <p role="alert">{error.message}</p>}
      {!found && !error && <p className="faint">Looking…</p>}
      {found?.length === 0 && <p>No other program on this machine has MCP servers set up. Add one from JSON instead.</p>}
      {found && found.length > 0 && (
        <table className="table" aria-label="Servers of other programs">
          <thead>
            <tr>
              <th>Server</th>
              <th>Of</th>
              <th>Scope</th>
              <th>
                <span className="visually-hidden">Import</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((one, at) => (
              <tr key={at}>
                <td>
                  <bdi>{shownText(one.name).text}</bdi> {one.type && <Badge>{one.type}</Badge>}
                  <div className="faint mono">{one.foundIn}</div>
                  {one.shadowedBy && <div className="faint">hidden by the one in {one.shadowedBy}</div>}
                  {one.problems.map((problem, index) => (
                    <div key={index} className="field__fault">
                      {problem.message}
                    </div>
                  ))}
                </td>
                <td>{one.client}</td>
                <td>{one.scope}</td>
                <td>
                  {came?.[at]?.import ?? (
                    <Button disabled={doing || !canCome(one)} aria-label={`Import ${one.name}`} onClick={() => bring([one.name])}>
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

function canCome(one: Discovered): boolean {
  return one.type !== null && one.shadowedBy === null;
}
