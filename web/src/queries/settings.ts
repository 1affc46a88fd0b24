/** Keys, settings, secrets and what the doctor finds. */

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

/** Its text, which nobody is told again. */
export async function createKey(name: string, scopes: string[], tools: string[]): Promise<string> {
  return (await unwrap(client.POST("/api/v1/keys", { body: { name, scopes, tools } as never }))).key;
}

/** The key that this page asks with, and the studio's own, are revoked only by somebody who is sure. */
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
