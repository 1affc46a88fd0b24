/** Models of servers on this machine: looked for on request, and added one by one. */

import { useState } from "react";
import { useAction } from "../../queries/action";
import type { FoundModel } from "../../queries/models";
import { addModel, findModels, MODELS } from "../../queries/models";
import { Button } from "../../ui/Button";

/** A name that is allowed for a model. */
const nameOf = (model: string) =>
  model
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);

export function FoundModels() {
  const [found, setFound] = useState<FoundModel[]>();
  const [isBusy, runAction] = useAction(MODELS);
  const add = ({ model, baseUrl }: FoundModel) =>
    runAction("Not added", () => addModel({ name: nameOf(model), provider: "compatible", model, baseUrl }));
  return (
    <div>
      <Button
        disabled={isBusy}
        onClick={() => void runAction("Search failed", async () => setFound(await findModels()))}
      >
        Find models on this machine
      </Button>
      {found?.length === 0 && (
        <p role="status">No Ollama, LM Studio, llama.cpp or vLLM answers on this machine.</p>
      )}
      {found && found.length > 0 && (
        <ul aria-label="Models on this machine">
          {found.map((one) => (
            <li key={`${one.baseUrl} ${one.model}`} className="row">
              {one.server}: {one.model}
              <Button disabled={isBusy} aria-label={`Add ${one.model}`} onClick={() => void add(one)}>
                Add
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
