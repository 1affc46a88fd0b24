/** Everything that proves who acts: credentials of services, and other secrets. */

import { Secrets } from "./Secrets";
import { Services } from "./Services";
import "./manage.css";

export default function CredentialsPage() {
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
        <h2>Services</h2>
        <Services />
        <h2>Secrets</h2>
        <Secrets />
      </div>
    </div>
  );
}
