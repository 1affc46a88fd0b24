/** What an expression of a node can name: the run's inputs, what comes in, what earlier nodes gave. */

import { isObject } from "./formValues";
import type { Workflow } from "./workflow";

const MOST = 100;

/** Whole expressions to choose from, the nearest nodes first. */
export function expressionsFor(workflow: Workflow, id: string): string[] {
  const inputs = workflow.inputSchema?.["properties"];
  const named = isObject(inputs) ? Object.keys(inputs).map((name) => `trigger${member(name)}`) : [];
  const before = earlier(workflow, id).map((one) => `nodes${member(one)}.output`);
  return ["data", ...named, "trigger", ...before].slice(0, MOST).map((one) => `{{ ${one} }}`);
}

function member(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Ids of the nodes that are surely or possibly done before one, by distance. */
function earlier(workflow: Workflow, id: string): string[] {
  const into = new Map<string, string[]>();
  for (const { from, to } of workflow.connections) into.set(to, [...(into.get(to) ?? []), from]);
  const found = new Set<string>();
  let edge = into.get(id) ?? [];
  while (edge.length > 0) {
    const fresh = edge.filter((one) => one !== id && !found.has(one));
    for (const one of fresh) found.add(one);
    edge = [...new Set(fresh)].flatMap((one) => into.get(one) ?? []);
  }
  return [...found];
}
