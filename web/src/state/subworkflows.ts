/** From a workflow to one that it runs as a step, and back: the way there is part of the address. */

import type { WorkflowNode } from "../model/workflow/workflow";
import { asText, nodeRef } from "../model/workflow/workflow";
import type { Editor } from "./editor";
import { hrefTo, parseRoute } from "./route";

/** A workflow on the way to the open one. */
export interface Crumb {
  title: string;
  href: string;
}

const PARENT = "from";
/** Marks the draft of a workflow that was never saved. */
const DRAFT_PREFIX = "~";

/** The stored workflow that a node runs; null if it runs none, or the data decides which one. */
export function subworkflowOf(node: WorkflowNode | undefined): string | null {
  if (!node || nodeRef(node) !== "FLOW.SUBWORKFLOW") return null;
  const name = asText((node.data["configurations"] as { workflow?: unknown } | undefined)?.workflow);
  return name && !name.includes("{{") ? name : null;
}

export function openSubworkflow({ document }: Editor, name: string): void {
  const { storedAs, draftId } = document.store.getState();
  const parents = parseRoute(window.location.hash).query.getAll(PARENT);
  const current = storedAs ?? DRAFT_PREFIX + (draftId ?? "");
  window.location.hash = addressOf(name, [...parents, current]);
}

/** The workflows that lead to the open one, the outermost first. */
export function crumbsOf(query: URLSearchParams): Crumb[] {
  const parents = query.getAll(PARENT);
  return parents.map((parent, at) => ({
    title: parent.startsWith(DRAFT_PREFIX) ? "unsaved workflow" : parent,
    href: addressOf(parent, parents.slice(0, at)),
  }));
}

function addressOf(name: string, parents: readonly string[]): string {
  const address = name.startsWith(DRAFT_PREFIX) ? hrefTo("new", name.slice(1)) : hrefTo("w", name);
  const query = new URLSearchParams(parents.map((parent) => [PARENT, parent]));
  return parents.length ? `${address}?${query}` : address;
}
