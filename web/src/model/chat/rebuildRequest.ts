/** A file of another system as a request to the AI builder. */

/** What the service accepts as a request, less the words around the file. */
const MAX_CHARS = 19_500;

/** Null if the text is no JSON object with nodes or steps, so that a model could not do anything with it either. */
export function rebuildRequest(text: string): { name: string; text: string } | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof file !== "object" || file === null) return null;
  const { name, nodes, data } = file as { name?: unknown; nodes?: unknown; data?: { nodes?: unknown } };
  const steps = nodes ?? data?.nodes;
  if (!Array.isArray(steps) || steps.length === 0) return null;
  const title = typeof name === "string" && name.trim() ? name.trim() : "untitled";
  const forms = [file, { nodes: steps.map(withoutPlace) }, { nodes: steps.map(kindOf) }];
  const shown = forms.map((form) => JSON.stringify(form)).find((form) => form.length <= MAX_CHARS);
  const words = `Build a workflow with the nodes that are here that does the same as this file of another system.`;
  return { name: title, text: shown ? `${words}\n\n${shown}` : `${words} It is called ${title}.` };
}

function withoutPlace(step: unknown): unknown {
  const { position: _, id: __, ...rest } = step as Record<string, unknown>;
  return rest;
}

function kindOf(step: unknown): unknown {
  const { name, type } = step as Record<string, unknown>;
  return { name, type };
}
