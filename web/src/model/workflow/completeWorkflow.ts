/** Adds the parts that a document may leave out: the service assumes them, the canvas needs them. */

import type { Connection, Workflow, WorkflowNode } from "./workflow";
import { newWorkflow } from "./workflow";

/** The document itself if nothing is missing; what it has is never changed. */
export function completeWorkflow(document: unknown): Workflow {
  const given = document as Partial<Workflow>;
  const nodes = completeAll(given.nodes ?? [], completeNode);
  const connections = completeAll(given.connections ?? [], completeConnection);
  const isComplete =
    nodes === given.nodes &&
    connections === given.connections &&
    given.id !== undefined &&
    given.name !== undefined &&
    given.version !== undefined;
  if (isComplete) return given as Workflow;
  const { id, name, version } = newWorkflow(given.name ?? "untitled");
  return { id, name, version, ...given, nodes, connections };
}

function completeAll<Item>(items: Item[], complete: (item: Item, at: number) => Item): Item[] {
  const completed = items.map(complete);
  return completed.every((item, at) => item === items[at]) ? items : completed;
}

function completeNode(node: Partial<WorkflowNode>, at: number): WorkflowNode {
  const { id = `node-${at + 1}`, type = "", name = id, data = {} } = node;
  const isComplete = node.id === id && node.type === type && node.name === name && node.data === data;
  return isComplete ? (node as WorkflowNode) : { ...node, id, type, name, data };
}

function completeConnection(connection: Partial<Connection>, at: number): Connection {
  const { from = "", to = "", id = `${from}-${to}-${at + 1}` } = connection;
  const isComplete = connection.id === id && connection.from === from && connection.to === to;
  return isComplete ? (connection as Connection) : { ...connection, id, from, to };
}
