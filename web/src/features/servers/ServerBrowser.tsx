/** The servers by scope on the left, the selected one on the right. */

import { useState } from "react";
import type { Server } from "../../model/servers/serverStatus";
import { groupByScope, stateTone } from "../../model/servers/serverStatus";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { ServerCard } from "./ServerCard";

interface Props {
  servers: Server[];
  first: string | null;
  onAdded?(): void;
}

export function ServerBrowser({ servers, first, onAdded }: Props) {
  const [chosen, choose] = useState(first);
  const [search, setSearch] = useState("");
  const matching = servers.filter((server) =>
    `${server.name} ${server.description ?? ""}`.toLowerCase().includes(search.toLowerCase()),
  );
  const isChosen = (one: Server) => one.id === chosen || one.name === chosen;
  // The server of an address that is not known, or not known yet, is never replaced by another one.
  const isMissing = chosen !== null && chosen === first && !servers.some(isChosen);
  const server = isMissing ? undefined : (matching.find(isChosen) ?? matching[0]);
  if (servers.length === 0) {
    return (
      <EmptyState icon="server" title="No servers yet">
        <a className="button button--primary" href="#/servers">
          Add a server
        </a>
      </EmptyState>
    );
  }
  return (
    <div className="browser">
      <div className="browser__list" data-stop="list">
        {servers.length > 8 && (
          <input
            className="input"
            type="search"
            placeholder="Search servers"
            aria-label="Search servers"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        {groupByScope(matching).map((one) => (
          <section key={one.scope} aria-label={`Scope ${one.scope}`}>
            <h2 className="browser__scope">{one.scope}</h2>
            {one.servers.map((line) => (
              <ServerItem
                key={line.id}
                server={line}
                isChosen={line === server}
                onChoose={() => choose(line.id)}
              />
            ))}
          </section>
        ))}
        {matching.length === 0 && <p className="faint">No results.</p>}
      </div>
      {server && <ServerCard key={server.id} server={server} onAdded={onAdded} />}
    </div>
  );
}

function ServerItem({ server, isChosen, onChoose }: { server: Server; isChosen: boolean; onChoose(): void }) {
  const facts = [
    server.transport,
    ...(server.toolCount == null ? [] : [`${server.toolCount} ${server.toolCount === 1 ? "tool" : "tools"}`]),
    ...(server.latencyMs == null ? [] : [`${Math.round(server.latencyMs)} ms`]),
  ];
  return (
    <button type="button" className="browser__line" aria-current={isChosen} onClick={onChoose}>
      <span className="browser__names">
        <bdi className="browser__name">{server.name}</bdi>
        <span className="faint">{facts.join(" · ")}</span>
      </span>
      <Badge tone={stateTone(server.state)} title={server.details ?? undefined}>
        {server.state}
      </Badge>
    </button>
  );
}
