/** A program asks for access with OAuth: who it is, where the browser goes, and what to grant. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { AccessRequest } from "../../queries/oauth";
import { answerAccessRequest, useAccessRequest } from "../../queries/oauth";
import { usePublished } from "../../queries/publishedTools";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Untrusted } from "../../ui/Untrusted";
import { SCOPE_DESCRIPTIONS, ScopeChoices } from "./ScopeChoices";
import "./manage.css";

export default function AuthorizePage({ query }: { query: string }) {
  const { data: request, error } = useAccessRequest(query);
  if (error)
    return (
      <EmptyState title="This sign-in cannot continue" isPage>
        <Untrusted {...safeText(error.message)} />
      </EmptyState>
    );
  if (!request) return <EmptyState title="Opening…" isPage />;
  return <Decision key={query} query={query} request={request} />;
}

function Decision({ query, request }: { query: string; request: AccessRequest }) {
  // Changing workflows is granted only if somebody ticks it: programs tend to ask for everything.
  const [scopes, setScopes] = useState(request.scopes.filter((scope) => scope !== "workflows:write"));
  const [tools, setTools] = useState<string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { data: published } = usePublished();
  const answer = async (isAllowed: boolean) => {
    setBusy(true);
    setFault(null);
    try {
      window.location.assign(await answerAccessRequest(query, isAllowed, scopes, tools));
    } catch (error) {
      setFault((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <section className="page manage__request" aria-labelledby="authorize-title">
      <h1 id="authorize-title">
        Allow <Untrusted {...safeText(request.clientName)} /> to use this studio?
      </h1>
      <Facts request={request} />
      <form
        className="card manage__form"
        aria-label="Access"
        onSubmit={(event) => (event.preventDefault(), void answer(true))}
      >
        <ScopeChoices
          title={`It asks for ${request.scopes.join(", ")}. It may`}
          options={request.grantable}
          words={SCOPE_DESCRIPTIONS}
          selected={scopes}
          onChange={setScopes}
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
        {fault && (
          <p role="alert">
            <Untrusted {...safeText(fault)} />
          </p>
        )}
        <div className="row">
          <Button type="submit" look="primary" disabled={isBusy || scopes.length === 0}>
            Allow
          </Button>
          <Button disabled={isBusy} onClick={() => void answer(false)}>
            Deny
          </Button>
        </div>
      </form>
    </section>
  );
}

function Facts({ request }: { request: AccessRequest }) {
  return (
    <>
      <p>
        The program provided this name itself
        {request.clientHost ? (
          <>
            ; <strong className="mono">{safeText(request.clientHost).text}</strong> describes it.
          </>
        ) : (
          "."
        )}{" "}
        You are then redirected to <strong className="mono">{safeText(request.redirectHost).text}</strong>
        {request.isLocal ? ", a program on this computer." : "."}
      </p>
      <p>
        Allow it only if you started this sign-in yourself. It gets a key of its own, which ends after an hour
        unless the program renews it; you can revoke it under Manage, Keys.
      </p>
    </>
  );
}
