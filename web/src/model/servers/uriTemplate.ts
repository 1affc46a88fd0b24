/** Addresses with `{variables}`, as MCP servers describe families of resources. */

const EXPRESSION = /\{[+#./;?&]?([A-Za-z0-9_.,*%]+)\}/g;

export function templateVariables(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, list]) => list!.split(","));
  return [...new Set(names.map((name) => name.replace(/\*$/, "")))];
}
