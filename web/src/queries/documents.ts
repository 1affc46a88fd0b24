/** Markdown documents that contain tool calls. */

import { useQuery } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";

export const DOCUMENTS = ["documents"] as const;

export const useDocuments = () =>
  useQuery({
    queryKey: DOCUMENTS,
    queryFn: async () => (await unwrap(client.GET("/api/v1/documents"))).documents,
  });

/** The headings of a document; none until one is chosen. */
export const useHeadings = (path: string) =>
  useQuery({
    queryKey: [...DOCUMENTS, path, "headings"],
    queryFn: async () =>
      (await unwrap(client.POST("/api/v1/documents/check", { body: { path } as never }))).headings,
    enabled: path !== "",
    retry: false,
  });

export async function checkDocument(path: string): Promise<string> {
  const { blocks, problems } = await unwrap(
    client.POST("/api/v1/documents/check", { body: { path } as never }),
  );
  return `${path}: ${blocks.length} blocks, ${problems.length} problems`;
}

export async function runDocument(path: string): Promise<string> {
  const { ran, failed, skipped } = await unwrap(
    client.POST("/api/v1/documents/run", { body: { path } as never }),
  );
  return `${path}: ${ran} ran, ${failed} failed, ${skipped} already had a result`;
}
