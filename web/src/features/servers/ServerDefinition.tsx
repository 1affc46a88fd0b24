/** Exactly what would be started or connected to; an approval is for this definition only. */

import type { Server } from "../../model/servers/serverStatus";
import { factLines, factTitle, definitionHash } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import { approveServer, CATALOG, SERVERS, useServerFacts } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

export function ServerDefinition({ server, onApproved }: { server: Server; onApproved(): void }) {
  const { data: facts, error } = useServerFacts(server.id);
  const [isBusy, runAction] = useAction(SERVERS, CATALOG);
  if (error) return <p role="alert">{error.message}</p>;
  if (!facts) return <p className="faint">Loading the command…</p>;
  const hash = definitionHash(facts);
  const approve = () =>
    void runAction("Approval failed", async () => {
      const { pinned, changes } = await approveServer(server.id, hash!, false);
      onApproved();
      return changes.length > 0
        ? `Approved; ${changes.length} changed tools need review`
        : `Approved; its tools: ${pinned}`;
    });
  return (
    <>
      <table className="table exact" aria-label="Exact command">
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.key}>
              <th scope="row">{factTitle(fact.key)}</th>
              <td className="mono">
                {factLines(fact).map((line, at) => (
                  <div key={at}>
                    <Untrusted {...safeText(line)} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!server.approved && (
        <div className="row">
          <Button look="primary" icon="check" disabled={isBusy || hash === null} onClick={approve}>
            {isBusy ? "Approving…" : "Approve and start"}
          </Button>
          <span className="faint">It starts once, and the tools it lists are pinned.</span>
        </div>
      )}
    </>
  );
}
