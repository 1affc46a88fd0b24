/** Workflows that are published as MCP tools. */

import { useQuery } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";

export const PUBLISHED = ["published"] as const;

export const usePublished = () =>
  useQuery({
    queryKey: PUBLISHED,
    queryFn: async () => (await unwrap(client.GET("/api/v1/published"))).published,
  });

export async function publish(workflow: string): Promise<string> {
  const published = await unwrap(
    client.PUT("/api/v1/published/{name}", { params: { path: { name: workflow } }, body: {} as never }),
  );
  return `Published as the tool ${published.tool}`;
}

export const unpublish = (tool: string) =>
  unwrap(client.DELETE("/api/v1/published/{name}", { params: { path: { name: tool } } }));
