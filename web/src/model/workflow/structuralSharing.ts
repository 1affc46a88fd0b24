/** Makes a workflow that was read again share with the one before what is the same in both. */

import type { Workflow } from "./workflow";

/** `after`, but with the nodes, connections and fields of `before` where they are equal. */
export function shareUnchanged(before: Workflow, after: Workflow): Workflow {
  const nodes = shareItems(before.nodes, after.nodes);
  const connections = shareItems(before.connections, after.connections);
  const next = { ...after, nodes, connections };
  return isEqual(before, next) ? before : next;
}

function shareItems<Item extends { id: string }>(before: Item[], after: Item[]): Item[] {
  const known = new Map(before.map((item) => [item.id, item]));
  const items = after.map((item) => {
    const old = known.get(item.id);
    return old && isEqual(old, item) ? old : item;
  });
  return items.length === before.length && items.every((item, at) => item === before[at]) ? before : items;
}

/** Equal as JSON; the order of an object's fields is part of it, as it is of the text. */
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
