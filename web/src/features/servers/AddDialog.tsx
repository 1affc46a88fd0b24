/** Adds a server by its command, its address or JSON; adding it starts nothing. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { addressDefinition, commandDefinition } from "../../model/servers/definition";
import { addServers, SERVERS } from "../../queries/servers";
import { notify } from "../../state/notices";
import { navigate } from "../../state/route";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { Tabs } from "../../ui/Tabs";

const SAMPLE = '{"mcpServers": {"demo": {"command": "toolweave", "args": ["demo-server"]}}}';
const SECRET = "One NAME=value per line. Write ${vault:NAME} for a secret in the vault.";
const METHODS = [
  { name: "command", title: "A command" },
  { name: "address", title: "An address" },
  { name: "json", title: "JSON" },
] as const;
type Method = (typeof METHODS)[number]["name"];

export function AddDialog({ onClose }: { onClose(): void }) {
  const [method, setMethod] = useState<Method>("command");
  const [name, setName] = useState("");
  const [target, setTarget] = useState("");
  const [pairs, setPairs] = useState("");
  const [isSse, setSse] = useState(false);
  const [json, setJson] = useState("");
  const [faults, setFaults] = useState<string[]>([]);
  const queries = useQueryClient();
  const form = { name, target, pairs };
  const selectMethod = (chosen: Method) => {
    setMethod(chosen);
    setFaults([]);
  };
  const add = async () => {
    try {
      const definition =
        method === "json"
          ? json
          : method === "command"
            ? commandDefinition(form)
            : addressDefinition(form, isSse);
      const added = await addServers(definition, method === "json" ? name.trim() || null : null);
      await queries.invalidateQueries({ queryKey: SERVERS });
      notify(`Added ${added.map((server) => server.name).join(", ")}; nothing runs until you approve it`, {
        tone: "good",
      });
      onClose();
      navigate("servers", added[0]!.id);
    } catch (error) {
      const problems =
        error instanceof ApiError
          ? error.problems.map((problem) => [problem.pointer, problem.message].filter(Boolean).join(": "))
          : [];
      setFaults(problems.length > 0 ? problems : [error instanceof Error ? error.message : String(error)]);
    }
  };
  const fault = faults.join("\n") || null;
  const isEmpty = (method === "json" ? json : target).trim().length < 2;
  return (
    <Dialog
      title="Add a server"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={isEmpty} onClick={() => void add()}>
            Add
          </Button>
        </>
      }
    >
      <Tabs label="Connection" tabs={METHODS} current={method} onChange={selectMethod}>
        <Field
          label="Name"
          note={method === "json" ? "Only if the JSON has none." : "A name of your choice."}
        >
          {(id, more) => (
            <input
              id={id}
              aria-describedby={more}
              className="input"
              maxLength={128}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {method === "json" && (
          <Field
            label="Definition"
            note="From the server's documentation: mcpServers with entries, or one entry and its name above."
            fault={fault}
          >
            {(id, _, aria) => (
              <textarea
                id={id}
                {...aria}
                className="textarea textarea--code"
                rows={9}
                spellCheck={false}
                placeholder={SAMPLE}
                value={json}
                onChange={(event) => setJson(event.target.value)}
              />
            )}
          </Field>
        )}
        {method !== "json" && (
          <>
            <Field
              label={method === "command" ? "Command" : "Address"}
              note={
                method === "command"
                  ? "With its arguments. It starts without a shell, and only after you approve it."
                  : "URL of a server that supports streamable HTTP."
              }
              fault={fault}
            >
              {(id, _, aria) => (
                <input
                  id={id}
                  {...aria}
                  className="input"
                  spellCheck={false}
                  placeholder={
                    method === "command"
                      ? "npx -y @modelcontextprotocol/server-filesystem /tmp"
                      : "https://example.com/mcp"
                  }
                  value={target}
                  onChange={(event) => setTarget(event.target.value)}
                />
              )}
            </Field>
            {method === "address" && (
              <label className="check">
                <input type="checkbox" checked={isSse} onChange={(event) => setSse(event.target.checked)} />{" "}
                Use the older SSE transport
              </label>
            )}
            <Field label={method === "command" ? "Environment" : "Headers"} note={SECRET}>
              {(id, more) => (
                <textarea
                  id={id}
                  aria-describedby={more}
                  className="textarea textarea--code"
                  rows={3}
                  spellCheck={false}
                  value={pairs}
                  onChange={(event) => setPairs(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
      </Tabs>
    </Dialog>
  );
}
