/** The tools of a server, what changed since they were approved, and a button to add one as a node. */

import { useState } from "react";
import type { Drift, Server, ServerTool } from "../../model/servers/serverStatus";
import { definitionHash } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import { approveServer, CATALOG, SERVERS, useServerFacts, useServerTools } from "../../queries/servers";
import { editableWorkflow, useAddTool } from "../../queries/toolNode";
import { tryTool } from "../../state/playground";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";
import { Difference } from "./Difference";

interface Props {
  server: Server;
  canList: boolean;
  onAdded?(): void;
}

export function Tools({ server, canList, onAdded }: Props) {
  const { data: listed, error, isLoading } = useServerTools(server.id, canList);
  const [search, setSearch] = useState("");
  const add = useAddTool(server);
  if (!canList) return <NotListed server={server} />;
  if (isLoading) return <p className="faint">Loading tools…</p>;
  if (error) return <p role="alert">{error.message}</p>;
  if (!listed) return null;
  // In the editor it is the one that is open; elsewhere it has to be named.
  const open = editableWorkflow()?.document.workflow.name;
  const target = onAdded ? "the workflow" : open === undefined ? "a new workflow" : safeText(open).text;
  const changed = new Set(listed.changes.map((change) => change.tool));
  const matching = listed.tools.filter((tool) =>
    `${tool.name} ${tool.description}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <>
      {listed.changes.length > 0 && <Changes server={server} changes={listed.changes} />}
      {listed.tools.length > 8 && (
        <input
          className="input"
          type="search"
          placeholder="Search tools"
          aria-label="Search tools"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul className="tools" aria-label="Tools">
        {matching.map((tool) => (
          <Tool
            key={tool.name}
            tool={tool}
            isChanged={changed.has(tool.name)}
            target={target}
            onAdd={() => add(tool, { onAdded })}
            onTry={() => tryTool({ server, tool, onUsed: onAdded })}
          />
        ))}
      </ul>
      {matching.length === 0 && (
        <p className="faint">{listed.tools.length ? "No results." : "The server has no tools."}</p>
      )}
    </>
  );
}

/** Why the tools cannot be listed, and the next step. */
function NotListed({ server }: { server: Server }) {
  return (
    <p className="faint">
      {server.approved
        ? "Enable the server to see and try its tools."
        : "Review the command and approve it to see and try its tools."}
    </p>
  );
}

interface ToolProps {
  tool: ServerTool;
  isChanged: boolean;
  /** The workflow that the tool is added to, in words. */
  target: string;
  onAdd(): void;
  onTry(): void;
}

function Tool({ tool, isChanged, target, onAdd, onTry }: ToolProps) {
  const name = safeText(tool.name);
  return (
    <li className="tool">
      <div className="tool__head">
        <strong className="mono">
          <Untrusted {...name} />
        </strong>
        {isChanged && <Badge tone="warn">changed</Badge>}
        <span className="tool__actions">
          <Button look="quiet" icon="play" onClick={onTry} aria-label={`Try it: ${name.text}`}>
            Try it
          </Button>
          <Button icon="plus" onClick={onAdd} aria-label={`Add ${name.text} to ${target}`}>
            <span className="tool__target">Add to {target}</span>
          </Button>
        </span>
      </div>
      <div className="tool__words">
        {tool.description ? (
          <Untrusted {...safeText(tool.description)} hasCode />
        ) : (
          <span className="faint">No description.</span>
        )}
      </div>
      {tool.problems.map((problem, at) => (
        <p key={at} className="field__fault">
          {problem.message}
        </p>
      ))}
      <details>
        <summary>Schema</summary>
        <pre className="schema" tabIndex={0}>
          {schemaText(tool.inputSchema)}
        </pre>
        {tool.outputSchema && (
          <pre className="schema" tabIndex={0} aria-label="Output">
            {schemaText(tool.outputSchema)}
          </pre>
        )}
      </details>
    </li>
  );
}

function schemaText(schema: unknown): string {
  // Line breaks come from the formatting; every other invisible character is escaped.
  return safeText(JSON.stringify(schema, null, 2)).text;
}

function Changes({ server, changes }: { server: Server; changes: Drift[] }) {
  const { data: facts } = useServerFacts(server.id);
  const [isBusy, runAction] = useAction(SERVERS, CATALOG);
  const hash = facts ? definitionHash(facts) : null;
  return (
    <div className="changes" role="region" aria-label="Changed tools">
      <strong>These tools changed after approval and are blocked until you accept the changes.</strong>
      <Difference server={server.id} changes={changes} />
      <Button
        disabled={isBusy || hash === null}
        onClick={() => void runAction("Not accepted", () => approveServer(server.id, hash!, true))}
      >
        Accept changes
      </Button>
    </div>
  );
}
