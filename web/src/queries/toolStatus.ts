/** Whether the MCP nodes of the open workflow match the current tools of their servers. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { client, unwrap } from "../api/client";
import { nodeAtPointer } from "../model/workflow/problems";
import type { Workflow, WorkflowNode } from "../model/workflow/workflow";
import { asText } from "../model/workflow/workflow";
import { useDocument, useEditor } from "../state/editorContext";
import type { ToolStatus } from "../state/problems";

const REFETCH_MS = 20_000;

/** Loaded when a node gets another tool, and at intervals; changed values do not matter here. */
export function useToolStatuses(): void {
  const editor = useEditor();
  const workflow = useDocument((state) => state.history.present);
  const nodes = workflow.nodes.filter(({ type }) => type === "mcp");
  const signature = nodes.map(toolSignature).join("\n");
  const document = useMemo(
    () => ({ ...workflow, nodes, connections: [] }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the signature stands for the nodes
    [signature, workflow.id],
  );
  const { data: response } = useQuery({
    // Below the key of servers, so that it is refetched with them.
    queryKey: ["servers", "standing", signature],
    queryFn: () => loadToolStatuses(document),
    enabled: nodes.length > 0,
    refetchInterval: REFETCH_MS,
    retry: false,
  });
  useEffect(() => {
    editor.problems.store.setState({ toolStatuses: (nodes.length > 0 && response) || {} });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the signature stands for the nodes
  }, [editor, response, signature]);
}

/** Computed once per node, so that an edit of one node does not recompute the others. */
const signatures = new WeakMap<WorkflowNode, string>();

function toolSignature(node: WorkflowNode): string {
  const {
    id,
    data: { serverId, toolName, mode, parameters },
  } = node;
  const signature = signatures.get(node) ?? JSON.stringify([id, serverId, toolName, mode, parameters]);
  signatures.set(node, signature);
  return signature;
}

async function loadToolStatuses(document: Workflow): Promise<Record<string, ToolStatus>> {
  const body = { document: document as unknown as Record<string, unknown>, live: true };
  const response = await unwrap(client.POST("/api/v1/edit/validate", { body: body as never }));
  const statusOf = (node: WorkflowNode): ToolStatus => {
    const reason = response.unreachable?.[asText(node.data["serverId"])];
    const problems = response.problems.filter(
      ({ code, pointer }) => code.startsWith("MCP_") && nodeAtPointer(document, pointer) === node.id,
    );
    const isDisconnected = problems.some(({ code }) => code === "MCP_SERVER_DISCONNECTED");
    const status = isDisconnected ? "disconnected" : (response.statuses?.[node.id] ?? "valid");
    return { status, why: reason ?? problems.map(({ message }) => message).join("; ") };
  };
  return Object.fromEntries(document.nodes.map((node) => [node.id, statusOf(node)]));
}
