/** Credentials of services; their secrets are in the vault and never shown. */

import { useAction } from "../../queries/action";
import { removeService, SERVICES, storeService, testService, useServices } from "../../queries/credentials";
import { Button } from "../../ui/Button";
import { SecretUses } from "./SecretUses";
import { RemoveButton, Section } from "./Section";

export function Services({ isAdding = false }: { isAdding?: boolean }) {
  const { data: credentials, error } = useServices();
  const [isBusy, runAction] = useAction(SERVICES);
  const fields = [
    { name: "name", title: "Name", isNeeded: true, note: "The name nodes refer to." },
    { name: "kind", title: "Service", isNeeded: true, options: credentials?.kinds ?? [] },
    {
      name: "token",
      title: "Token",
      isNeeded: true,
      isSecret: true,
      note: "Stored encrypted in the vault and never shown again.",
    },
  ];
  return (
    <Section
      title="Services"
      error={error}
      rows={credentials?.services}
      nothing="Add a credential for a service such as GitHub or Slack, so that its nodes can act for you."
      columns={[
        { title: "Name", show: (service) => <strong>{service.name}</strong> },
        { title: "Service", show: (service) => service.kind },
        { title: "Authentication", show: (service) => service.auth },
        {
          title: "Address",
          show: (service) => <span className="mono">{service.baseUrl ?? "default"}</span>,
        },
      ]}
      actions={(service) => (
        <>
          <Button
            disabled={isBusy}
            aria-label={`Test ${service.name}`}
            onClick={() => void runAction("Test failed", () => testService(service.name))}
          >
            Test
          </Button>
          <RemoveButton
            name={service.name}
            words={<SecretUses name={service.name} />}
            isDisabled={isBusy}
            onRemove={() => void runAction("Not removed", () => removeService(service.name))}
          />
        </>
      )}
      add={{
        title: "Add credential",
        isOpen: isAdding,
        fields,
        isDisabled: isBusy,
        onAdd: ({ name, kind, token }) => runAction("Not added", () => storeService(name!, kind!, token!)),
      }}
    />
  );
}
