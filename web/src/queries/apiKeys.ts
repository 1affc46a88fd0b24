/** API keys. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

export const KEYS = ["keys"] as const;

export type Key = Schemas["KeyResponse"];

export const useKeys = () => useQuery({ queryKey: KEYS, queryFn: () => unwrap(client.GET("/api/v1/keys")) });

/** Resolves to the text of the key, which is returned only once. */
export async function createKey(name: string, scopes: string[], tools: string[]): Promise<string> {
  return (await unwrap(client.POST("/api/v1/keys", { body: { name, scopes, tools } as never }))).key;
}

/** Revoking the key of this page or of the studio requires a confirmation parameter. */
export async function revokeKey({ id, name, isStudio, isYours }: Key): Promise<string> {
  const query = isStudio || isYours ? { sure: true } : {};
  await unwrap(client.DELETE("/api/v1/keys/{key}", { params: { path: { key: id }, query } }));
  return `Revoked ${name}`;
}
