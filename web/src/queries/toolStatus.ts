/** How the open workflow's MCP nodes stand with their servers as these are now, badge by badge. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { client, data } from "../api/client";
import type { Standing } from "../state/problems";
import { nodeAt } from "../model/workflow/problems";
import { problemStore } from "../state/problems";
import type { Workflow, WorkflowNode } from "../model/workflow/workflow";
import { text } from "../model/workflow/workflow";

const AGAIN_MS = 20_000;

/** Asked when a node gets another tool, and now and then; values that are typed change nothing here. */
export function useStanding(workflow: Workflow | null): void {
  const nodes = workflow?.nodes.filter(({ type }) => type === "mcp") ?? [];
  const signature = nodes.map(signed).join("\n");
  const document = useMemo(() => (workflow ? { ...workflow, nodes, connections: [] } : null), [signature, workflow?.id]);
  const { data: found } = useQuery({
    // Whatever changes servers asks for this again as well.
    queryKey: ["servers", "standing", signature],
    queryFn: () => standings(document!),
    enabled: nodes.length > 0,
    refetchInterval: AGAIN_MS,
    retry: false,
  });
  useEffect(() => {
    problemStore.setState({ standings: (nodes.length > 0 && found) || {} });
  }, [found, signature]);
}

/** Spelt once for each node: an edit of another one costs nothing here. */
const spelt = new WeakMap<WorkflowNode, string>();

function signed(node: WorkflowNode): string {
  const { id, data: { serverId, toolName, mode, parameters } } = node;
  const known = spelt.get(node) ?? JSON.stringify([id, serverId, toolName, mode, parameters]);
  spelt.set(node, known);
  return known;
}

async function standings(document: Workflow): Promise<Record<string, Standing>> {
  const body = { document: document as unknown as Record<string, unknown>, live: true };
  const found = await data(client.POST("/api/v1/edit/validate", { body: body as never }));
  const whyOf = (node: WorkflowNode) => {
    const reason = found.unreachable?.[text(node.data["serverId"])];
    const said = found.problems.filter(({ code, pointer }) => code.startsWith("MCP_") && nodeAt(document, pointer) === node.id);
    return reason ?? said.map(({ message }) => message).join("; ");
  };
  return Object.fromEntries(document.nodes.map((node) => [node.id, { status: found.statuses?.[node.id] ?? "valid", why: whyOf(node) }]));
}
