/** Signs in to a server with OAuth: opens the sign-in page and waits for the result. */

import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useEffect, useState } from "react";
import type { Server } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { CATALOG, SERVERS, pasteSignInAddress, signIn } from "../../queries/servers";
import { notify } from "../../state/notices";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";

export function SignInButton({ server }: { server: Server }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="key" onClick={() => setOpen(true)}>
        Sign in
      </Button>
      {isOpen && <SignInDialog server={server} onClose={() => setOpen(false)} />}
    </>
  );
}

function SignInDialog({ server, onClose }: { server: Server; onClose(): void }) {
  const [url, setUrl] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const queries = useQueryClient();
  useEffect(() => {
    const controller = new AbortController();
    signIn(server.id, controller.signal, setUrl)
      .then((count) => {
        notify(`Signed in to ${server.name}; its tools: ${count}`, { tone: "good" });
        for (const queryKey of [SERVERS, CATALOG]) void queries.invalidateQueries({ queryKey });
        onClose();
      })
      .catch((error: Error) => controller.signal.aborted || setFault(error.message));
    return () => controller.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a new callback must not restart the sign-in
  }, [server.id]);
  return (
    <Dialog
      title={`Sign in to ${server.name}`}
      onClose={onClose}
      foot={<Button onClick={onClose}>{fault ? "Close" : "Cancel"}</Button>}
    >
      {fault && (
        <p role="alert">
          <Untrusted {...safeText(fault)} />
        </p>
      )}
      {!url && !fault && <p className="faint">Contacting the server…</p>}
      {url && !fault && (
        <>
          <p>Open the page of the service, sign in there, and come back. The token is stored in the vault.</p>
          <p className="mono server__address">{safeText(url).text}</p>
          <a className="button button--primary" href={url} target="_blank" rel="noopener noreferrer">
            Open the sign-in page
          </a>
          <p className="faint" role="status">
            Waiting for you to sign in…
          </p>
          <PasteAddress server={server} />
        </>
      )}
    </Dialog>
  );
}

/** For a studio on another machine: the browser ends at an address of that machine, which it cannot open. */
function PasteAddress({ server }: { server: Server }) {
  const [address, setAddress] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFault(null);
    pasteSignInAddress(server.id, address).catch((error: Error) => setFault(error.message));
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="Address of the page after the sign-in"
        note="Only if the browser cannot open that page: it begins with http://127.0.0.1."
        fault={fault}
      >
        {(id, _, aria) => (
          <input
            id={id}
            {...aria}
            className="input input--code"
            autoComplete="off"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={address.trim() === ""}>
        Use this address
      </Button>
    </form>
  );
}
