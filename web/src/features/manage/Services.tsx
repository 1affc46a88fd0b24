/** Credentials of services; their secrets are in the vault and never shown. */

import { useDoing } from "../../queries/action";
import { removeService, SERVICES, storeService, testService, useServices } from "../../queries/manage";
import { Button } from "../../ui/Button";
import { AddForm } from "./AddForm";
import { RemoveButton, Section } from "./Section";

export function Services() {
  const { data: found, error } = useServices();
  const [doing, start] = useDoing(SERVICES);
  const fields = [
    { name: "name", title: "Name", isNeeded: true, note: "What nodes call it." },
    { name: "kind", title: "Service", isNeeded: true, options: found?.kinds ?? [] },
    { name: "token", title: "Token", isNeeded: true, isSecret: true, note: "It goes into the vault and is never shown again." },
  ];
  return (
    <Section
      title="Services"
      error={error}
      rows={found?.services}
      nothing="Keep a token of a service, such as GitHub or Slack, and its nodes can act for you."
      columns={[
        { title: "Name", show: (one) => <strong>{one.name}</strong> },
        { title: "Service", show: (one) => one.kind },
        { title: "By", show: (one) => one.auth },
        { title: "Address", show: (one) => <span className="mono">{one.baseUrl ?? "its usual one"}</span> },
      ]}
      actions={(one) => (
        <>
          <Button disabled={doing} aria-label={`Test ${one.name}`} onClick={() => void start("It does not work", () => testService(one.name))}>
            Test
          </Button>
          <RemoveButton name={one.name} words="Its secret is forgotten. Nodes that use it fail until it is kept again." isOff={doing} onRemove={() => void start("Not removed", () => removeService(one.name))} />
        </>
      )}
    >
      <AddForm title="Keep a token" fields={fields} isOff={doing} onAdd={({ name, kind, token }) => start("Not kept", () => storeService(name!, kind!, token!))} />
    </Section>
  );
}
