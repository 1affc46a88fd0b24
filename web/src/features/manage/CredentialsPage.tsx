/** Everything that proves who acts: credentials of services, and other secrets. */

import { useState } from "react";
import { useServices } from "../../queries/credentials";
import { useSecrets } from "../../queries/secrets";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Secrets } from "./Secrets";
import { Services } from "./Services";
import "./manage.css";

export default function CredentialsPage() {
  const { data: credentials } = useServices();
  const { data: secrets } = useSecrets();
  const [adding, setAdding] = useState<"service" | "secret" | null>(null);
  const isEmpty = credentials?.services.length === 0 && secrets?.length === 0;
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Credentials</h1>
        </div>
        <p className="faint">
          Tokens and passwords are stored encrypted in the vault. Workflows refer to them by name; their
          values are never shown.
        </p>
        {isEmpty && adding === null ? (
          <EmptyState icon="key" title="No credentials yet">
            <p>
              Add a credential for a service such as GitHub or Slack, or a secret that servers, triggers and
              nodes use by name.
            </p>
            <div className="row">
              <Button look="primary" icon="plus" onClick={() => setAdding("service")}>
                Add credential
              </Button>
              <Button look="quiet" onClick={() => setAdding("secret")}>
                Add secret
              </Button>
            </div>
          </EmptyState>
        ) : (
          <>
            <h2>Services</h2>
            <Services isAdding={adding === "service"} />
            <h2>Secrets</h2>
            <Secrets isAdding={adding === "secret"} />
          </>
        )}
      </div>
    </div>
  );
}
