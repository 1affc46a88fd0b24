/** The tools of a server with their parameter trees, and switching how a node uses them. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";
import { changeNode } from "../model/workflow/edits";
import type { Editor } from "../state/editor";
import type { Mode } from "../model/form/modes";
import type { Workflow } from "../model/workflow/workflow";
import { nodeById } from "../model/workflow/workflow";

/** What a server can do now; asking starts it, if it is approved. */
export function useServerTools(server: string) {
  return useQuery({
    queryKey: ["servers", server, "tools"],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/tools", { params: { path: { server } } })),
    enabled: server !== "",
    // A server may lose a tool, or come back, while its node is open.
    refetchInterval: 20_000,
    retry: false,
  });
}

/** Asks a server that failed at once, not when its turn comes; then how it stands, everywhere. */
export function useServerRetry(server: string): () => void {
  const queries = useQueryClient();
  return () => {
    const asked = unwrap(client.POST("/api/v1/servers/{server}/check", { params: { path: { server } } }));
    void asked.catch(() => {}).finally(() => void queries.invalidateQueries({ queryKey: ["servers"] }));
  };
}

export interface ModeChange {
  mode: Mode;
  tool?: string;
  /** Asks the server for its tools instead of taking those that were approved. */
  live?: boolean;
}

/** Switches a node as one undoable step; values of the mode it leaves are kept in it. */
export async function switchMode(
  editor: Editor,
  id: string,
  { mode, tool, live = false }: ModeChange,
): Promise<void> {
  const document = editor.document.workflow as unknown as Record<string, unknown>;
  const body = { document, node: id, mode, live, ...(tool ? { tool } : {}) };
  const made = await unwrap(client.POST("/api/v1/edit/mode", { body: body as never }));
  const switched = nodeById(made.document as unknown as Workflow, id);
  if (!switched) return;
  editor.document.endGesture();
  editor.document.edit((now) => changeNode(now, id, (node) => ({ ...node, data: switched.data })));
}
