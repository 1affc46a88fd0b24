/** What the model calls of a step cost. */

import type { Step } from "./runState";

/** The token usage of a step; `model` is the one that answered last. */
export function modelUsage(step: Step): {
  input: number;
  output: number;
  cost: number | null;
  model: string | null;
} {
  const answers = step.parts.filter((part) => part.kind === "model");
  const costs = answers.map(({ usage }) => usage?.cost_usd).filter((cost) => typeof cost === "number");
  const sum = (numbers: (number | undefined)[]) =>
    numbers.reduce<number>((all, attempt) => all + (attempt ?? 0), 0);
  return {
    input: sum(answers.map(({ usage }) => usage?.input_tokens)),
    output: sum(answers.map(({ usage }) => usage?.output_tokens)),
    cost: costs.length ? sum(costs) : null,
    model: answers.at(-1)?.model ?? null,
  };
}
