/** The skills of an MCP server, and their approval by the hash that was shown. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import { SERVERS } from "./servers";

export type Skill = Schemas["SkillRecord"];

export const skillsKey = (server: string) => [...SERVERS, server, "skills"] as const;

const serverPath = (server: string) => ({ params: { path: { server } } });

/** Loaded only if the server may be started. */
export function useServerSkills(id: string, canList: boolean) {
  return useQuery({
    queryKey: skillsKey(id),
    queryFn: async () => (await unwrap(client.GET("/api/v1/servers/{server}/skills", serverPath(id)))).skills,
    enabled: canList,
    staleTime: 15_000,
    retry: false,
  });
}

/** The text of a file, which the service compares with its listed digest. */
export async function readSkill(id: string, skill: string, file: string): Promise<string> {
  const body = { skill, file };
  const read = await unwrap(client.POST("/api/v1/servers/{server}/skills/read", { ...serverPath(id), body }));
  return read.text ?? `(${read.mimeType ?? "binary"}, ${read.data?.length ?? 0} characters of base64)`;
}

export async function approveSkill(id: string, skill: string, hash: string): Promise<void> {
  const body = { skill, hash };
  await unwrap(client.POST("/api/v1/servers/{server}/skills/approve", { ...serverPath(id), body }));
}

export async function forgetSkill(id: string, skill: string): Promise<void> {
  await unwrap(client.POST("/api/v1/servers/{server}/skills/forget", { ...serverPath(id), body: { skill } }));
}
