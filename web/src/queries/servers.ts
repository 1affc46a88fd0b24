/** MCP servers: the list, their definitions and tools, and all actions. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { ApiError, client, unwrap } from "../api/client";
import { postStream } from "../api/eventStream";
import type { Server } from "../model/servers/serverStatus";

export const SERVERS = ["servers"] as const;
/** A separate key, because every health check changes it. */
export const HEALTH = ["health"] as const;
/** The catalog contains the tools of servers. */
export const CATALOG = ["catalog"] as const;

export function useServers() {
  return useQuery({
    queryKey: SERVERS,
    queryFn: async () => (await unwrap(client.GET("/api/v1/servers"))).servers,
    // The change feed triggers refetches; this interval is the fallback without it.
    refetchInterval: 60_000,
  });
}

const serverPath = (server: string) => ({ params: { path: { server } } });

export function useServerFacts(id: string) {
  return useQuery({
    queryKey: [...SERVERS, id, "facts"],
    queryFn: async () => (await unwrap(client.GET("/api/v1/servers/{server}", serverPath(id)))).facts,
    retry: false,
  });
}

export type ServerHealth = Schemas["ServerActivity"];

export function useServerHealth(id: string) {
  return useQuery({
    queryKey: [...HEALTH, id],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/health", serverPath(id))),
    retry: false,
  });
}

/** Resolves to the number of tools after the sign-in; `onPage` receives the address of the sign-in page. */
export async function signIn(
  id: string,
  signal: AbortSignal,
  onPage: (url: string) => void,
): Promise<number> {
  let count: number | null = null;
  await postStream(`/api/v1/servers/${encodeURIComponent(id)}/sign-in`, signal, ({ kind, data: text }) => {
    const message = JSON.parse(text) as { url?: string; toolCount?: number; code?: string; message?: string };
    if (kind === "page" && /^https?:/.test(message.url ?? "")) onPage(message.url!);
    if (kind === "done") count = message.toolCount ?? 0;
    if (kind === "failed")
      throw new ApiError(409, message.code ?? "", message.message ?? "the sign-in failed");
  });
  if (count === null) throw new Error("the service stopped before you signed in");
  return count;
}

/** Completes a sign-in with the address at which a browser on another machine than the studio ended. */
export async function pasteSignInAddress(id: string, address: string): Promise<void> {
  await unwrap(
    client.POST("/api/v1/servers/{server}/sign-in/address", { ...serverPath(id), body: { address } }),
  );
}

/** Loaded only if the server may be started. */
export function useServerTools(id: string, canList: boolean) {
  return useQuery({
    queryKey: [...SERVERS, id, "tools"],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/tools", serverPath(id))),
    enabled: canList,
    staleTime: 15_000,
    retry: false,
  });
}

/** The resources, templates and prompts of a server; loaded only if it may be started. */
export function useServerContent(id: string, canList: boolean) {
  return useQuery({
    queryKey: [...SERVERS, id, "content"],
    queryFn: async () => {
      const [found, { prompts }] = await Promise.all([
        unwrap(client.GET("/api/v1/servers/{server}/resources", serverPath(id))),
        unwrap(client.GET("/api/v1/servers/{server}/prompts", serverPath(id))),
      ]);
      return { ...found, prompts };
    },
    enabled: canList,
    staleTime: 15_000,
    retry: false,
  });
}

export function readResource(id: string, uri: string, variables: Record<string, string>) {
  const body = { uri, variables };
  return unwrap(client.POST("/api/v1/servers/{server}/resources/read", { ...serverPath(id), body }));
}

export function fillPrompt(id: string, name: string, values: Record<string, string>) {
  const body = { name, arguments: values };
  return unwrap(client.POST("/api/v1/servers/{server}/prompts/get", { ...serverPath(id), body }));
}

interface ArgumentStart {
  prompt?: string;
  template?: string;
  argument: string;
  value: string;
  known: Record<string, string>;
}

/** Values that an argument may have; none if the server completes none. */
export async function completeArgument(id: string, start: ArgumentStart): Promise<string[]> {
  const body = { ...start, known: start.known };
  const { values } = await unwrap(
    client.POST("/api/v1/servers/{server}/complete", { ...serverPath(id), body }),
  );
  return values;
}

/** `stamp` names the changes that the list of tools reports; others are compared anew. */
export function useServerDifference(id: string, stamp: string) {
  return useQuery({
    queryKey: [...SERVERS, id, "difference", stamp],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/difference", serverPath(id))),
    retry: false,
  });
}

export type Migration = Schemas["MigrationRecord"];

/** What adapts stored workflows to the changed tools; loaded for the same changes as the difference. */
export function useServerMigrations(id: string, stamp: string) {
  return useQuery({
    queryKey: [...SERVERS, id, "migrations", stamp],
    queryFn: () => unwrap(client.GET("/api/v1/servers/{server}/migrations", serverPath(id))),
    retry: false,
  });
}

export interface MigrationChoice {
  acceptLikely: boolean;
  adaptRecordings: boolean;
}

/** Changes the workflow exactly as the proposal that was shown. */
export async function applyMigration(
  id: string,
  migration: Migration,
  choice: MigrationChoice,
): Promise<string> {
  const body = { workflow: migration.workflow, proposal: migration.proposal!, ...choice };
  await unwrap(client.POST("/api/v1/servers/{server}/migrations", { ...serverPath(id), body }));
  return `Changed ${migration.workflow}`;
}

export interface Discovered {
  name: string;
  scope: string;
  client: string;
  type: string | null;
  foundIn: string;
  shadowedBy: string | null;
  problems: { message: string }[];
  import: string | null;
}

export function useDiscovered() {
  return useQuery({
    queryKey: ["discovered"],
    queryFn: async () => discoveredServers(await unwrap(client.GET("/api/v1/servers/discovered"))),
    staleTime: 0,
  });
}

function discoveredServers(answer: Schemas["DiscoveryRecord"]): Discovered[] {
  return answer.servers as unknown as Discovered[];
}

export async function importServers(names: string[]): Promise<Discovered[]> {
  return discoveredServers(
    await unwrap(client.POST("/api/v1/servers/discovered", { body: { names } as never })),
  );
}

export async function addServers(definition: string, name: string | null): Promise<Server[]> {
  const body = { definition, ...(name ? { name } : {}) };
  return (await unwrap(client.POST("/api/v1/servers", { body: body as never }))).servers;
}

export function approveServer(id: string, hash: string, acceptChanges: boolean) {
  return unwrap(
    client.POST("/api/v1/servers/{server}/approve", {
      ...serverPath(id),
      body: { hash, acceptChanges } as never,
    }),
  );
}

export function switchServer(id: string, on: boolean): Promise<Server> {
  return on
    ? unwrap(client.POST("/api/v1/servers/{server}/enable", serverPath(id)))
    : unwrap(client.POST("/api/v1/servers/{server}/disable", serverPath(id)));
}

export function checkServer(id: string) {
  return unwrap(client.POST("/api/v1/servers/{server}/check", serverPath(id)));
}

export async function removeServer(id: string): Promise<void> {
  await unwrap(client.DELETE("/api/v1/servers/{server}", serverPath(id)));
}
