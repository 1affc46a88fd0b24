/** Nodes as text in the clipboard, which can be pasted into any tab, workflow or text editor. */

import type { Snippet } from "./edits";
import type { Connection, WorkflowNode } from "./workflow";

/** Longer texts are not parsed: nobody copies that much on purpose. */
const MAX_CHARACTERS = 5_000_000;

export function serializeSnippet({ nodes, connections }: Snippet): string {
  return `${JSON.stringify({ toolweave: "nodes", nodes, connections }, null, 2)}\n`;
}

/** The nodes in a copied text or in a whole workflow; null for any other text. */
export function parseSnippet(text: string): Snippet | null {
  if (text.length > MAX_CHARACTERS || !text.trimStart().startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { nodes, connections = [] } = value as { nodes?: unknown; connections?: unknown };
  if (!isListOf(nodes, isNode) || nodes.length === 0 || !isListOf(connections, isConnection)) return null;
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, connections: connections.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

function isListOf<Item>(value: unknown, isOne: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isOne);
}

function isNode(value: unknown): value is WorkflowNode {
  const { id, type, name, data, position, parentId } = (value ?? {}) as Record<string, unknown>;
  const isPlaced =
    position === undefined ||
    (typeof position === "object" &&
      position !== null &&
      Number.isFinite((position as { x: unknown }).x) &&
      Number.isFinite((position as { y: unknown }).y));
  return (
    isText(id) &&
    isText(type) &&
    typeof (name ?? "") === "string" &&
    typeof data === "object" &&
    data !== null &&
    !Array.isArray(data) &&
    isPlaced &&
    (parentId === undefined || isText(parentId))
  );
}

function isConnection(value: unknown): value is Connection {
  const { id, from, to } = (value ?? {}) as Record<string, unknown>;
  return isText(id) && isText(from) && isText(to);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
