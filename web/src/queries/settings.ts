/** API keys, settings, secrets and diagnostics. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

export const KEYS = ["keys"] as const;
export const SECRETS = ["secrets"] as const;
const SETTINGS = ["settings"] as const;
const DOCTOR = ["doctor"] as const;

export type Key = Schemas["KeyShape"];
export type Setting = Schemas["SettingShape"];
export type Finding = Schemas["FindingShape"];

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

export const useSettings = () =>
  useQuery({ queryKey: SETTINGS, queryFn: () => unwrap(client.GET("/api/v1/settings")) });

export const useFindings = () =>
  useQuery({ queryKey: DOCTOR, queryFn: async () => (await unwrap(client.GET("/api/v1/doctor"))).findings });

export const useSecrets = () =>
  useQuery({ queryKey: SECRETS, queryFn: async () => (await unwrap(client.GET("/api/v1/secrets"))).names });

export async function storeSecret(name: string, value: string): Promise<string> {
  await unwrap(
    client.PUT("/api/v1/secrets/{name}", { params: { path: { name } }, body: { value } as never }),
  );
  return `Kept ${name}; write it as \${vault:${name}}`;
}

export const removeSecret = (name: string) =>
  unwrap(client.DELETE("/api/v1/secrets/{name}", { params: { path: { name } } }));
