/** The tools of a server with their parameter trees, and switching the mode of a node. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";
import type { Mode } from "../model/form/modes";
import { changeNode } from "../model/workflow/edits";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";

/** The current tools of a server; the request starts the server if it is approved. */
export function useServerTools(server: string) {
  return useQuery({
    queryKey: ["servers", server, "tools"],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/tools", { params: { path: { server } } })),
    enabled: server !== "",
    // A server may lose a tool, or recover, while its node is open.
    refetchInterval: 20_000,
    retry: false,
  });
}

/** Checks a failed server at once instead of at the next interval, then refetches its state. */
export function useServerRetry(server: string): () => void {
  const queries = useQueryClient();
  return () => {
    const check = unwrap(client.POST("/api/v1/servers/{server}/check", { params: { path: { server } } }));
    void check.catch(() => {}).finally(() => void queries.invalidateQueries({ queryKey: ["servers"] }));
  };
}

export interface ModeChange {
  mode: Mode;
  tool?: string;
  /** The tools that a task chooses from, if not all. */
  tools?: readonly string[];
  /** Loads the tools from the server instead of using the approved ones. */
  live?: boolean;
}

/** Switches the mode of a node, as one step that can be undone; the node keeps the values of its old mode. */
export async function switchMode(
  editor: Editor,
  id: string,
  { mode, tool, tools, live = false }: ModeChange,
): Promise<void> {
  const document = editor.document.workflow as unknown as Record<string, unknown>;
  const body = { document, node: id, mode, live, ...(tool ? { tool } : {}), ...(tools ? { tools } : {}) };
  const result = await unwrap(client.POST("/api/v1/edit/mode", { body: body as never }));
  const switched = nodeById(result.document as unknown as Workflow, id);
  if (!switched) return;
  editor.document.endGesture();
  editor.document.edit((now) => changeNode(now, id, (node) => ({ ...node, data: switched.data })));
}
