/** Asks for the API key if it is missing or invalid, and explains where to find it. */

import type { FormEvent } from "react";
import { useState } from "react";
import { storeToken } from "../api/token";
import { hasUnsavedEdits } from "../state/workspace";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";

export function TokenPage({ isWrong, onToken }: { isWrong: boolean; onToken(): void }) {
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    storeToken(typed);
    setTyped("");
    onToken();
  };
  return (
    <main className="token">
      <form className="card token__card" onSubmit={submit}>
        <h1>{isWrong ? "This key is not valid" : "The studio needs its API key"}</h1>
        <p>
          {isWrong
            ? "The key was revoked or belongs to another home directory."
            : "This page was opened without an API key."}
        </p>
        <p>
          Open the address that <code>toolweave serve</code> printed: it ends in <code>#token=…</code>. Or
          paste the key; it is in the file <code>studio.key</code> of Toolweave&rsquo;s home directory, and{" "}
          <code>toolweave keys create --scope admin</code> makes another.
        </p>
        {hasUnsavedEdits() && <p>Unsaved changes stay in this tab and are restored with a valid key.</p>}
        <Field label="Key" note="You can paste the whole URL.">
          {(id, _, aria) => (
            <input
              id={id}
              {...aria}
              className="input input--code"
              type="password"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button look="primary" type="submit" disabled={typed.trim() === ""}>
            Open the studio
          </Button>
        </div>
      </form>
    </main>
  );
}
