/** How to connect an MCP client: the address, what Claude Code and other clients need, and a key for it. */

import { useState } from "react";
import { createToolKey } from "../../queries/publication";
import { notifyError } from "../../state/notices";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";

export function ClientConnection({ tool }: { tool: string }) {
  const [key, setKey] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const address = `${window.location.origin}/mcp`;
  const make = async () => {
    setBusy(true);
    try {
      setKey(await createToolKey(tool));
    } catch (error) {
      notifyError(error, "No key was created");
    } finally {
      setBusy(false);
    }
  };
  const secret = key ?? "YOUR_KEY";
  const header = `Authorization: Bearer ${secret}`;
  const servers = { toolweave: { url: address, headers: { Authorization: `Bearer ${secret}` } } };
  const entry = JSON.stringify({ mcpServers: servers }, null, 2);
  const line = `claude mcp add --transport http toolweave ${address} --header "${header}"`;
  return (
    <section className="publish__connect" aria-label="Connect a client">
      <h3>Connect a client</h3>
      <p className="faint">
        MCP clients that are connected to this service have the tool now, without a restart.
      </p>
      <CopyField name="Address" text={address} />
      <CopyField name="Command for Claude Code" text={line} />
      <CopyField name="Configuration for Cursor and others" text={entry} />
      <div className="row">
        <Button icon="key" disabled={isBusy || key !== null} onClick={() => void make()}>
          Create a key for this tool
        </Button>
        {key ? (
          <span role="status">
            The command and the configuration contain the key. Copy one now: it is not shown again.
          </span>
        ) : (
          <span className="faint">It can call only {tool}.</span>
        )}
        <a href="#/manage/keys">All keys</a>
      </div>
    </section>
  );
}

function CopyField({ name, text }: { name: string; text: string }) {
  return (
    <div className="publish__line">
      <label className="publish__copied">
        <span className="field__label">{name}</span>
        <textarea
          className="textarea textarea--code"
          aria-label={name}
          readOnly
          rows={Math.max(text.split("\n").length, text.length > 60 ? 2 : 1)}
          value={text}
          onFocus={(event) => event.target.select()}
        />
      </label>
      <CopyButton text={text} what={name.toLowerCase()} />
    </div>
  );
}
