/** Secrets in the vault, by name. */

import { useAction } from "../../queries/action";
import { removeSecret, SECRETS, storeSecret, useSecrets } from "../../queries/secrets";
import { SecretUses } from "./SecretUses";
import { RemoveButton, Section } from "./Section";

const FIELDS = [
  { name: "name", title: "Name", isNeeded: true, note: "Letters, digits and _ . - : @ +" },
  {
    name: "value",
    title: "Value",
    isNeeded: true,
    isSecret: true,
    note: "Stored encrypted in the vault and never shown again.",
  },
  { name: "host", title: "Host", note: "Where workflows may send it, such as api.example.com." },
];

export function Secrets({ isAdding = false }: { isAdding?: boolean }) {
  const { data: names, error } = useSecrets();
  const [isBusy, runAction] = useAction(SECRETS);
  return (
    <Section
      title="Secrets"
      error={error}
      rows={names}
      nothing="Add a secret that servers, triggers and nodes use by name. Its value is never shown."
      columns={[
        { title: "Secret", show: (name) => <strong className="mono">{name}</strong> },
        { title: "Reference", show: (name) => <span className="mono">{`\${vault:${name}}`}</span> },
      ]}
      actions={(name) => (
        <RemoveButton
          name={name}
          words={<SecretUses name={name} />}
          isDisabled={isBusy}
          onRemove={() => void runAction("Not removed", () => removeSecret(name))}
        />
      )}
      add={{
        title: "Add secret",
        isOpen: isAdding,
        fields: FIELDS,
        isDisabled: isBusy,
        onAdd: ({ name, value, host }) =>
          runAction("Not added", () => storeSecret(name!, value!, host ? [host] : [])),
      }}
    />
  );
}
