/** The stored workflows: list, read, save over a revision, rename, delete. */

import { useQuery } from "@tanstack/react-query";
import { client, data } from "../api/client";
import type { Workflow } from "../model/workflow";

export const WORKFLOWS = ["workflows"] as const;

export function useWorkflows() {
  return useQuery({
    queryKey: WORKFLOWS,
    queryFn: async () => (await data(client.GET("/api/v1/workflows"))).workflows,
  });
}

export interface Stored {
  name: string;
  revision: string;
  workflow: Workflow;
}

export async function loadWorkflow(name: string): Promise<Stored> {
  const found = await data(client.GET("/api/v1/workflows/{name}", { params: { path: { name } } }));
  return { name: found.name, revision: found.revision, workflow: found.document as unknown as Workflow };
}

/** Saves under `at`, over the revision that was read; a workflow with another name is moved. */
export async function saveWorkflow(workflow: Workflow, at: string, revision: string | null): Promise<Stored> {
  const body = { document: workflow as unknown as Record<string, unknown>, ...(revision ? { revision } : {}) };
  const found = await data(client.PUT("/api/v1/workflows/{name}", { params: { path: { name: at } }, body: body as never }));
  return { name: found.name, revision: found.revision, workflow: found.document as unknown as Workflow };
}

export async function deleteWorkflow(name: string, revision: string): Promise<void> {
  const params = { path: { name }, header: { "If-Match": `"${revision}"` } };
  await data(client.DELETE("/api/v1/workflows/{name}", { params }));
}
