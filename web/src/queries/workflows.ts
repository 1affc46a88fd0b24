/** The stored workflows: list, read, save over a revision, rename, delete. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { ApiError, client, unwrap } from "../api/client";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
import type { Workflow } from "../model/workflow/workflow";

export const WORKFLOWS = ["workflows"] as const;

export type WorkflowSummary = Schemas["WorkflowSummary"];

export function useWorkflows() {
  return useQuery({
    queryKey: WORKFLOWS,
    queryFn: async () => (await unwrap(client.GET("/api/v1/workflows"))).workflows,
  });
}

/** The workflows with their state and last runs. */
export type WorkflowOverview = Schemas["WorkflowOverview"];

export const OVERVIEW = [...WORKFLOWS, "overview"] as const;

export function useOverview() {
  return useQuery({
    queryKey: OVERVIEW,
    queryFn: async () => (await unwrap(client.GET("/api/v1/overview"))).workflows,
    // The change feed triggers refetches; this interval is the fallback without it.
    refetchInterval: 30_000,
  });
}

export interface StoredWorkflow {
  name: string;
  revision: string;
  workflow: Workflow;
}

/** Codes of files that are not workflows at all; shown as an empty workflow, saving would overwrite them. */
const UNREADABLE_CODES: ReadonlySet<string> = new Set([
  "WORKFLOW_NOT_JSON",
  "WORKFLOW_UNKNOWN_DIALECT",
  "WORKFLOW_TOO_LARGE",
]);

export async function loadWorkflow(name: string): Promise<StoredWorkflow> {
  const stored = await unwrap(client.GET("/api/v1/workflows/{name}", { params: { path: { name } } }));
  const problem = stored.problems.find(({ code }) => UNREADABLE_CODES.has(code));
  if (problem && !(stored.document["nodes"] as unknown[] | undefined)?.length) {
    const file = `${stored.slug}.json`;
    const remedy = `fix the file ${file} in the workflows folder with an editor, or remove it`;
    const hint = `${remedy}; ${problem.hint ?? ""}`;
    throw new ApiError(422, problem.code, `this file is not a workflow: ${problem.message}`, hint);
  }
  return { name: stored.name, revision: stored.revision, workflow: completeWorkflow(stored.document) };
}

/** Saves over the revision that was read; a workflow with a new name is renamed. */
export async function saveWorkflow(
  workflow: Workflow,
  storedAs: string,
  revision: string | null,
): Promise<StoredWorkflow> {
  const body = {
    document: workflow as unknown as Record<string, unknown>,
    ...(revision ? { revision } : {}),
  };
  const stored = await unwrap(
    client.PUT("/api/v1/workflows/{name}", { params: { path: { name: storedAs } }, body: body as never }),
  );
  return { name: stored.name, revision: stored.revision, workflow: completeWorkflow(stored.document) };
}

/** Saves other tags over the current revision; empty and repeated ones are left out. */
export async function saveTags(name: string, tags: readonly string[]): Promise<void> {
  const { workflow, revision } = await loadWorkflow(name);
  const distinct = [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))];
  const metadata = { ...workflow.metadata, tags: distinct };
  await saveWorkflow({ ...workflow, metadata }, name, revision);
}

export async function deleteWorkflow(name: string, revision: string): Promise<void> {
  const params = { path: { name }, header: { "If-Match": `"${revision}"` } };
  await unwrap(client.DELETE("/api/v1/workflows/{name}", { params }));
}
