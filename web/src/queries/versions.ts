/** The saved versions of a workflow: list, read, name and restore. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import { completeWorkflow } from "../model/workflow/completeWorkflow";

export type Version = Schemas["VersionRecord"];

export const VERSIONS = ["versions"] as const;

export function useVersions(name: string) {
  return useQuery({
    queryKey: [...VERSIONS, name],
    queryFn: async () =>
      (await unwrap(client.GET("/api/v1/workflows/{name}/versions", { params: { path: { name } } })))
        .versions,
  });
}

/** The workflow of a version, which never changes. */
export function useVersion(name: string, number: number | null) {
  return useQuery({
    queryKey: ["version", name, number],
    queryFn: async () => {
      const params = { path: { name, number: number! } };
      const version = await unwrap(client.GET("/api/v1/workflows/{name}/versions/{number}", { params }));
      return completeWorkflow(version.document);
    },
    enabled: number !== null,
    staleTime: Infinity,
  });
}

/** An empty label removes the name. */
export async function nameVersion(name: string, number: number, label: string): Promise<void> {
  const params = { path: { name, number } };
  const body = { label: label.trim() || null };
  await unwrap(client.PUT("/api/v1/workflows/{name}/versions/{number}", { params, body }));
}

/** Saves a version again over the current revision; null if the workflow was deleted. */
export async function restoreVersion(name: string, number: number, revision: string | null): Promise<void> {
  const params = { path: { name, number } };
  const body = { revision };
  await unwrap(client.POST("/api/v1/workflows/{name}/versions/{number}/restore", { params, body }));
}
