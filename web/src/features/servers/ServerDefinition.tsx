/** Exactly what would be started or reached; the yes is to this and nothing else. */

import type { Server } from "../../model/servers/serverStatus";
import { factLines, hashOf } from "../../model/servers/serverStatus";
import { shownText } from "../../model/text/untrusted";
import { useDoing } from "../../queries/action";
import { approveServer, CATALOG, SERVERS, useServerFacts } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

export function Command({ server, onApproved }: { server: Server; onApproved(): void }) {
  const { data: facts, error } = useServerFacts(server.id);
  const [doing, start] = useDoing(SERVERS, CATALOG);
  if (error) return <p role="alert">{error.message}</p>;
  if (!facts) return <p className="faint">Reading what it would run…</p>;
  const hash = hashOf(facts);
  const approve = () =>
    void start("Approving did not finish", async () => {
      const { pinned, changes } = await approveServer(server.id, hash!, false);
      onApproved();
      return changes.length > 0 ? `Approved; ${changes.length} changed tools wait for you` : `Approved; its tools: ${pinned}`;
    });
  return (
    <>
      <table className="table exact" aria-label="Exactly what would run">
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.key}>
              <th scope="row">{fact.label}</th>
              <td className="mono">
                {factLines(fact).map((line, at) => (
                  <div key={at}>
                    <Untrusted {...shownText(line)} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!server.approved && (
        <div className="row">
          <Button look="primary" icon="check" disabled={doing || hash === null} onClick={approve}>
            {doing ? "Approving…" : "Approve exactly this"}
          </Button>
          <span className="faint">It is started once, and held to the tools it lists then.</span>
        </div>
      )}
    </>
  );
}
