/** Servers from JSON as every manual writes it; nothing is started by adding them. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { notify } from "../../model/noticeStore";
import { go } from "../../model/route";
import { addServers, SERVERS } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";

const SAMPLE = '{"mcpServers": {"demo": {"command": "toolweave", "args": ["demo-server"]}}}';

export function AddDialog({ onClose }: { onClose(): void }) {
  const [definition, setDefinition] = useState("");
  const [name, setName] = useState("");
  const [faults, setFaults] = useState<string[]>([]);
  const queries = useQueryClient();
  const add = async () => {
    try {
      const added = await addServers(definition, name.trim() || null);
      await queries.invalidateQueries({ queryKey: SERVERS });
      notify(`Added ${added.map((one) => one.name).join(", ")}; nothing runs before you approve it`, { tone: "good" });
      onClose();
      go("servers", added[0]!.id);
    } catch (error) {
      const problems = error instanceof ApiError ? error.problems.map((one) => [one.pointer, one.message].filter(Boolean).join(": ")) : [];
      setFaults(problems.length > 0 ? problems : [error instanceof Error ? error.message : String(error)]);
    }
  };
  return (
    <Dialog
      title="Add servers from JSON"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={definition.trim().length < 2} onClick={() => void add()}>
            Add
          </Button>
        </>
      }
    >
      <Field label="Definition" note="As the server's manual has it: mcpServers with entries, or one entry and its name below." fault={faults.join("\n") || null}>
        {(id, _, said) => <textarea id={id} {...said} className="textarea textarea--code" rows={9} spellCheck={false} placeholder={SAMPLE} value={definition} onChange={(event) => setDefinition(event.target.value)} />}
      </Field>
      <Field label="Name" note="Only where the JSON has none.">
        {(id, more) => <input id={id} aria-describedby={more} className="input" maxLength={128} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
    </Dialog>
  );
}
