/** Texts that were typed into fields and are no value of the field: they stay until they are corrected. */

import type { Workflow } from "../model/workflow/workflow";

export interface InvalidInput {
  node: string;
  typed: string;
  fault: string;
}

export class InvalidInputs {
  private readonly inputs = new Map<string, InvalidInput>();

  at(node: string, pointer: string): InvalidInput | undefined {
    return this.inputs.get(key(node, pointer));
  }

  set(node: string, pointer: string, input: { typed: string; fault: string } | null): void {
    if (input) this.inputs.set(key(node, pointer), { node, ...input });
    else this.inputs.delete(key(node, pointer));
  }

  /** Those of nodes that still exist. */
  of(workflow: Workflow): InvalidInput[] {
    const ids = new Set(workflow.nodes.map(({ id }) => id));
    return [...this.inputs.values()].filter(({ node }) => ids.has(node));
  }
}

function key(node: string, pointer: string): string {
  return `${node} ${pointer}`;
}
