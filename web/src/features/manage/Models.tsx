/** Language models: which there are, which is asked by default, whether one answers. */

import { useDoing } from "../../queries/action";
import type { NewModel } from "../../queries/manage";
import { addModel, makeDefault, MODELS, PROVIDERS, removeModel, testModel, useModels } from "../../queries/manage";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { AddForm } from "./AddForm";
import { RemoveButton, Section } from "./Section";

const FIELDS = [
  { name: "name", title: "Name", isNeeded: true, note: "What you call it." },
  { name: "provider", title: "Provider", isNeeded: true, options: PROVIDERS },
  { name: "model", title: "Model", note: "The provider's own name for it." },
  { name: "baseUrl", title: "Address", note: "Of a compatible one, such as Ollama." },
  { name: "key", title: "Key", isSecret: true, note: "It goes into the vault and is never shown again." },
];

export function Models() {
  const { data: models, error } = useModels();
  const [doing, start] = useDoing(MODELS);
  return (
    <Section
      title="Models"
      error={error}
      rows={models}
      nothing="Add a model of a provider, or one of your own. Agents and natural-language steps ask the default one."
      columns={[
        { title: "Name", show: (one) => <strong>{one.name}</strong> },
        { title: "Model", show: (one) => `${one.provider} · ${one.model}` },
        { title: "Address", show: (one) => <span className="mono">{one.baseUrl}</span> },
        { title: "Key", show: (one) => (one.hasKey ? "in the vault" : "none") },
        { title: "From", show: (one) => (one.foundIn === "added" ? "added by you" : "the environment") },
      ]}
      actions={(one) => (
        <>
          {one.isDefault ? (
            <Badge tone="good">default</Badge>
          ) : (
            <Button disabled={doing} aria-label={`Make ${one.name} the default`} onClick={() => void start("Not made the default", () => makeDefault(one.name))}>
              Make default
            </Button>
          )}
          <Button disabled={doing} aria-label={`Test ${one.name}`} onClick={() => void start("It does not answer", () => testModel(one.name))}>
            Test
          </Button>
          {one.foundIn === "added" && <RemoveButton name={one.name} words="Its key is forgotten. Steps that name it fail until it is added again." isOff={doing} onRemove={() => void start("Not removed", () => removeModel(one.name))} />}
        </>
      )}
    >
      <AddForm title="Add a model" fields={FIELDS} isOff={doing} onAdd={(values) => start("Not added", () => addModel(values as unknown as NewModel))} />
    </Section>
  );
}
