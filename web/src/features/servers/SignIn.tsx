/** Signs in to a server with OAuth: opens the sign-in page and waits for the result. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Server } from "../../model/servers/serverStatus";
import { safeText } from "../../model/text/untrusted";
import { CATALOG, SERVERS, signIn } from "../../queries/servers";
import { notify } from "../../state/notices";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
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
        </>
      )}
    </Dialog>
  );
}
