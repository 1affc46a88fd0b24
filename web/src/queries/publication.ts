/** The open workflow as a published tool: a preview of the tool, its state, and publishing it. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { Workflow } from "../model/workflow/workflow";
import { isDirty } from "../state/document";
import { useDocument } from "../state/editorContext";
import { usePublished } from "./publishedTools";

export type Publication = Schemas["PublicationRecord"];
export type ToolDraft = Schemas["ToolDraftResponse"];

/** The published tool of the open workflow, and whether the canvas has a newer version. */
export function usePublication(): { publication: Publication | null; isBehind: boolean } {
  const { data: tools } = usePublished();
  const storedAs = useDocument((state) => state.storedAs);
  const revision = useDocument((state) => state.revision);
  const hasEdits = useDocument(isDirty);
  const publication = tools?.find(({ workflow, replacedBy }) => workflow === storedAs && !replacedBy) ?? null;
  return { publication, isBehind: publication !== null && (hasEdits || publication.revision !== revision) };
}

/** A preview of the workflow as a tool, with the problems that prevent publishing it. */
export function useToolDraft(workflow: Workflow) {
  return useQuery({
    queryKey: ["draft-tool", workflow],
    queryFn: () => unwrap(client.POST("/api/v1/edit/tool", { body: { document: workflow } as never })),
    retry: false,
    gcTime: 0,
  });
}

export interface PublishOptions {
  tool: string;
  description: string;
  ifLeft: Publication["ifLeft"];
}

export function publishAs(name: string, options: PublishOptions): Promise<Publication> {
  return unwrap(
    client.PUT("/api/v1/published/{name}", { params: { path: { name } }, body: options as never }),
  );
}

/** Creates a key that can call this tool only; its text is returned only once. */
export async function createToolKey(tool: string): Promise<string> {
  const body = { name: `for ${tool}`, scopes: ["tools:read", "workflows:run"], tools: [tool] };
  return (await unwrap(client.POST("/api/v1/keys", { body: body as never }))).key;
}
