/** A secret field: choose a stored credential, add one to the vault, test it. */

import type { FormEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import {
  credentialIn,
  credentialReference,
  nameFault,
  serviceOfField,
  unusedName,
} from "../../model/form/credentials";
import { hintParts } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import { nodeById, nodeRef } from "../../model/workflow/workflow";
import { useAction } from "../../queries/action";
import { SERVICES, storeService, testService, useServices } from "../../queries/credentials";
import { SECRETS, storeSecret, useSecrets } from "../../queries/secrets";
import { useDocument } from "../../state/editorContext";
import { Button } from "../../ui/Button";
import type { FieldAria } from "../../ui/Field";
import { Field } from "../../ui/Field";
import { Hint } from "../../ui/Hint";
import type { FormField } from "./formContext";
import "./credential.css";

const NEW = "\u0000new";
const OTHER = "\u0000other";

interface Props {
  id: string;
  label: string;
  field: FormField;
  aria: FieldAria;
  /** The control for the text itself. */
  raw: ReactNode;
}

export function CredentialField({ id, label, field, aria, raw }: Props) {
  const ref = useDocument(({ history }) => {
    const node = nodeById(history.present, field.node);
    return node ? nodeRef(node) : "";
  });
  const { data: services, error } = useServices();
  const { data: secrets } = useSecrets();
  const [isAdding, setAdding] = useState(false);
  const choice = useRef<HTMLSelectElement>(null);
  const current = credentialIn(field.value);
  const test = useCredentialTest(current);
  const [isRaw, setRaw] = useState(() => field.value !== undefined && current === null);
  // A key without the right to see credentials leaves the plain field.
  if (error || field.isReadOnly) return raw;
  const kind = serviceOfField(ref, field.pointer, services?.kinds ?? []);
  const own = (services?.services ?? []).filter((one) => kind === null || one.kind === kind);
  const taken = [...(services?.services ?? []).map(({ name }) => name), ...(secrets ?? [])];
  const others = (secrets ?? []).filter((name) => !services?.services.some((one) => one.name === name));
  const canTest = current !== null && own.some(({ name }) => name === current);
  const isMissing = current !== null && secrets !== undefined && !taken.includes(current);
  const choose = (value: string) => {
    setAdding(value === NEW);
    setRaw(value === OTHER);
    if (value === NEW || value === OTHER) return;
    field.set(value === "" ? undefined : credentialReference(value));
  };
  // The form with the focus disappears.
  const close = () => {
    setAdding(false);
    choice.current?.focus();
  };
  return (
    <div className="credential" data-built={isRaw ? undefined : "credential"}>
      <div className="row">
        <select
          ref={choice}
          id={isRaw ? undefined : id}
          {...aria}
          className="select"
          aria-label={`${label}: credential`}
          value={isAdding ? NEW : isRaw ? OTHER : (current ?? "")}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">Choose a credential</option>
          {isMissing && <option value={current}>{current} (not in the vault)</option>}
          {own.length > 0 && (
            <optgroup label={kind === null ? "Services" : `Credentials for ${kind}`}>
              {own.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          )}
          {others.length > 0 && (
            <optgroup label="Secrets">
              {others.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          )}
          <option value={NEW}>Add a credential…</option>
          <option value={OTHER}>Enter a reference or expression</option>
        </select>
        {canTest && (
          <Button disabled={test.isBusy} aria-label={`Test ${current}`} onClick={() => void test.run()}>
            {test.isBusy ? "Testing…" : "Test"}
          </Button>
        )}
      </div>
      {canTest && test.result && (
        <div
          role="status"
          className={test.result.isGood ? "credential__result" : "credential__result credential__result--bad"}
        >
          {safeText(test.result.text).text}
          {test.result.hint && (
            <div className="faint">
              <Hint parts={hintParts(test.result.hint)} />
            </div>
          )}
        </div>
      )}
      {isRaw && raw}
      {isMissing && <p className="field__fault">The vault has no {current}: add it, or choose another.</p>}
      {/* Its name depends on what is stored. */}
      {isAdding && services && secrets && (
        <NewCredential
          kind={kind}
          name={unusedName(kind ?? "secret", taken)}
          onClose={close}
          onAdded={(name) => (close(), field.set(credentialReference(name)))}
        />
      )}
    </div>
  );
}

interface TestResult {
  isGood: boolean;
  text: string;
  hint?: string | null;
}

/** Tries a credential; the result is dropped when another one is chosen. */
function useCredentialTest(name: string | null) {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<(TestResult & { name: string | null }) | null>(null);
  const run = async () => {
    setBusy(true);
    setResult(null);
    try {
      setResult({ name, isGood: true, text: `Test passed: ${await testService(name!)}` });
    } catch (error) {
      const hint = error instanceof ApiError ? error.hint : null;
      setResult({ name, isGood: false, text: `Test failed: ${(error as Error).message}`, hint });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, result: result?.name === name ? result : null, run };
}

interface NewProps {
  /** The service it is for; null for a plain secret. */
  kind: string | null;
  name: string;
  onClose(): void;
  onAdded(name: string): void;
}

function NewCredential({ kind, name: suggested, onClose, onAdded }: NewProps) {
  const [name, setName] = useState(suggested);
  const [secret, setSecret] = useState("");
  const [host, setHost] = useState("");
  const [isBusy, runAction] = useAction(SERVICES, SECRETS);
  const fault = nameFault(name);
  // It was asked for with the choice above; its name is suggested.
  const secretInput = useRef<HTMLInputElement>(null);
  useEffect(() => secretInput.current?.focus(), []);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const hosts = host.trim() === "" ? [] : [host.trim()];
    const store = () => (kind ? storeService(name, kind, secret) : storeSecret(name, secret, hosts));
    if (await runAction("Not added", store)) onAdded(name);
  };
  return (
    <form className="credential__new" aria-label="New credential" onSubmit={(event) => void add(event)}>
      <Field label="Name" fault={fault}>
        {(id, _, aria) => (
          <input
            id={id}
            {...aria}
            className="input"
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={kind ? `Token of ${kind}` : "Secret"}
        note="Stored encrypted in the vault and never shown again. The workflow keeps only its name."
      >
        {(id, _, aria) => (
          <input
            id={id}
            {...aria}
            className="input"
            ref={secretInput}
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
      {!kind && (
        <Field
          label="Host it may be sent to"
          note="Leave it empty if it only authenticates callers of this workflow."
        >
          {(id, _, aria) => (
            <input
              id={id}
              {...aria}
              className="input"
              placeholder="api.example.com"
              autoComplete="off"
              value={host}
              onChange={(event) => setHost(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="row">
        <Button look="primary" type="submit" disabled={isBusy || !name || !secret || fault !== null}>
          Add credential
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
