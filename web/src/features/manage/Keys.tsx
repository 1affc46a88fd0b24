/** API keys: their scopes, a new key that is shown once, and revoking one. */

import type { FormEvent } from "react";
import { Fragment, useRef, useState } from "react";
import { useAction } from "../../queries/action";
import type { Key } from "../../queries/apiKeys";
import { createKey, KEYS, revokeKey, useKeys } from "../../queries/apiKeys";
import { usePublished } from "../../queries/publishedTools";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import { SCOPE_DESCRIPTIONS, ScopeChoices } from "./ScopeChoices";
import { RemoveButton, Section } from "./Section";
import { useFirstField } from "./useFirstField";

export function Keys() {
  const { data: keyList, error } = useKeys();
  const [isBusy, runAction] = useAction(KEYS);
  const [newKey, setNewKey] = useState<string | null>(null);
  const create = (name: string, scopes: string[], tools: string[]) =>
    runAction("Key not created", async () => setNewKey(await createKey(name, scopes, tools)));
  return (
    <Section
      title="Keys"
      error={error}
      rows={keyList?.keys}
      nothing="Create an API key for a program that calls this service."
      columns={[
        { title: "Name", show: (apiKey) => <KeyName of={apiKey} /> },
        { title: "Scopes", show: (apiKey) => <ScopeNames names={apiKey.scopes} /> },
        { title: "Only these tools", show: (apiKey) => apiKey.tools?.join(", ") ?? "all" },
        { title: "Created", show: (apiKey) => new Date(apiKey.createdAt).toLocaleString() },
      ]}
      actions={(apiKey) =>
        apiKey.revokedAt ? (
          <span className="faint">revoked {new Date(apiKey.revokedAt).toLocaleString()}</span>
        ) : (
          <RemoveButton
            name={apiKey.name}
            title="Revoke"
            words={revokeWarning(apiKey)}
            isDisabled={isBusy}
            onRemove={() => void runAction("Not revoked", () => revokeKey(apiKey))}
          />
        )
      }
      add={{
        title: "Create key",
        form: (close) => (
          <KeyForm scopes={keyList?.scopes ?? []} isDisabled={isBusy} onMake={create} onClose={close} />
        ),
      }}
    >
      {newKey && <NewKeyDialog text={newKey} onClose={() => setNewKey(null)} />}
    </Section>
  );
}

/** Lines break between scopes, not within one. */
function ScopeNames({ names }: { names: readonly string[] }) {
  return names.map((name, at) => (
    <Fragment key={name}>
      <span className="manage__scope">{at < names.length - 1 ? `${name},` : name}</span>{" "}
    </Fragment>
  ));
}

function KeyName({ of: { name, isStudio, isYours, revokedAt, client, expiresAt } }: { of: Key }) {
  return (
    <>
      <strong>{name}</strong> {client && <Badge>{renewal(expiresAt)}</Badge>}{" "}
      {isStudio && <Badge>the studio&rsquo;s own</Badge>}{" "}
      {isYours && <Badge tone="good">used by this page</Badge>} {revokedAt && <Badge>revoked</Badge>}
    </>
  );
}

/** A key granted with OAuth ends by itself, unless its program renews it. */
function renewal(expiresAt: string | null): string {
  return `signed in${expiresAt ? `, renews by ${new Date(expiresAt).toLocaleTimeString()}` : ""}`;
}

function revokeWarning({ isStudio, isYours }: Key): string {
  if (isStudio) {
    return (
      "This is the studio's own key. Its pages stop working immediately, including this one, " +
      "until you restart toolweave serve and open the address that it prints."
    );
  }
  if (isYours) {
    return "This page uses this key. It stops working immediately, until you open the studio with another one.";
  }
  return "Programs that use it lose access immediately. This cannot be undone.";
}

function KeyForm({
  scopes,
  isDisabled,
  onMake,
  onClose,
}: {
  scopes: readonly string[];
  isDisabled: boolean;
  onMake(name: string, scopes: string[], tools: string[]): Promise<boolean>;
  onClose(): void;
}) {
  const form = useRef<HTMLFormElement>(null);
  useFirstField(form);
  const [name, setName] = useState("");
  const [selected, setSelected] = useState<string[]>([]);
  const [tools, setTools] = useState<string[]>([]);
  const { data: published } = usePublished();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onMake(name.trim(), selected, tools)) onClose();
  };
  return (
    <form
      ref={form}
      className="card manage__form"
      aria-label="Create key"
      onSubmit={(event) => void submit(event)}
    >
      <h2>Create key</h2>
      <div className="manage__fields">
        <TextField
          label="Name"
          note="For example the program that uses it."
          maxLength={100}
          value={name}
          onChange={setName}
        />
      </div>
      <ScopeChoices
        title="Scopes"
        options={scopes}
        words={SCOPE_DESCRIPTIONS}
        selected={selected}
        onChange={setSelected}
      />
      {published && published.length > 0 && (
        <ScopeChoices
          title="Limit to published tools (none selected: all)"
          options={published.map(({ tool }) => tool)}
          words={{}}
          selected={tools}
          onChange={setTools}
        />
      )}
      <div className="row">
        <Button type="submit" look="primary" disabled={isDisabled || !name.trim() || selected.length === 0}>
          Create key
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

function NewKeyDialog({ text, onClose }: { text: string; onClose(): void }) {
  const foot = (
    <Button look="primary" onClick={onClose}>
      Done
    </Button>
  );
  return (
    <Dialog title="New key" onClose={onClose} foot={foot}>
      <p>Copy it now: it is not shown again. Programs send it in the X-API-Key header.</p>
      <div className="manage__key">
        <code>{text}</code>
        <CopyButton text={text} what="the key" />
      </div>
    </Dialog>
  );
}
