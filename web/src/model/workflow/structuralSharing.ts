/** Makes a parsed workflow share its unchanged parts with the previous version. */

import type { Workflow } from "./workflow";

/** `after`, with the nodes, connections and fields of `before` that are equal. */
export function shareUnchanged(before: Workflow, after: Workflow): Workflow {
  const nodes = shareItems(before.nodes, after.nodes);
  const connections = shareItems(before.connections, after.connections);
  const next = { ...after, nodes, connections };
  return isEqual(before, next) ? before : next;
}

function shareItems<Item extends { id: string }>(before: Item[], after: Item[]): Item[] {
  const byId = new Map(before.map((item) => [item.id, item]));
  const items = after.map((item) => {
    const old = byId.get(item.id);
    return old && isEqual(old, item) ? old : item;
  });
  return items.length === before.length && items.every((item, at) => item === before[at]) ? before : items;
}

/** Equal as JSON text, so the order of keys matters. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === others.length &&
    keys.every(
      (key, at) =>
        key === others[at] &&
        isEqual((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}
