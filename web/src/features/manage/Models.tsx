/** Language models: the list, the default model, and a test of one. */

import { useAction } from "../../queries/action";
import type { NewModel } from "../../queries/models";
import {
  addModel,
  makeDefault,
  MODELS,
  PROVIDERS,
  removeModel,
  testModel,
  useModels,
} from "../../queries/models";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { FoundModels } from "./FoundModels";
import { RemoveButton, Section } from "./Section";

const FIELDS = [
  { name: "name", title: "Name", isNeeded: true, note: "A name of your choice." },
  { name: "provider", title: "Provider", isNeeded: true, options: PROVIDERS },
  { name: "model", title: "Model", note: "The provider's name for the model." },
  { name: "baseUrl", title: "Address", note: "For a compatible provider, such as Ollama." },
  { name: "key", title: "Key", isSecret: true, note: "Stored encrypted in the vault and never shown again." },
];

export function Models() {
  const { data: models, error } = useModels();
  const [isBusy, runAction] = useAction(MODELS);
  return (
    <Section
      title="Models"
      icon="spark"
      error={error}
      rows={models}
      nothing="Add a model from a provider or your own. AI nodes use the default model unless they name one."
      columns={[
        { title: "Name", show: (model) => <strong>{model.name}</strong> },
        { title: "Model", show: (model) => `${model.provider} · ${model.model}` },
        { title: "Address", show: (model) => <span className="mono">{model.baseUrl}</span> },
        { title: "Key", show: (model) => (model.hasKey ? "in the vault" : "none") },
        { title: "From", show: (model) => (model.foundIn === "added" ? "added by you" : "the environment") },
      ]}
      actions={(model) => (
        <>
          {model.isDefault ? (
            <Badge tone="good">default</Badge>
          ) : (
            <Button
              disabled={isBusy}
              aria-label={`Make ${model.name} the default`}
              onClick={() => void runAction("Default not changed", () => makeDefault(model.name))}
            >
              Make default
            </Button>
          )}
          <Button
            disabled={isBusy}
            aria-label={`Test ${model.name}`}
            onClick={() => void runAction("Test failed", () => testModel(model.name))}
          >
            Test
          </Button>
          {model.foundIn === "added" && (
            <RemoveButton
              name={model.name}
              words="Its key is deleted. Steps that use it fail until you add it again."
              isDisabled={isBusy}
              onRemove={() => void runAction("Not removed", () => removeModel(model.name))}
            />
          )}
        </>
      )}
      emptyAction={<FoundModels />}
      add={{
        title: "Add a model",
        fields: FIELDS,
        isDisabled: isBusy,
        onAdd: (values) => runAction("Not added", () => addModel(values as unknown as NewModel)),
      }}
    >
      {models && models.length > 0 && <FoundModels />}
      {models?.some((model) => model.provider === "local") && (
        <p>
          The local model is small: use it to try things out. Every tool and value it chose is shown in the
          run.
        </p>
      )}
    </Section>
  );
}
