/** Credentials of external services. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

export const SERVICES = ["services"] as const;

export type Credentials = Schemas["CredentialListResponse"];

export const useServices = () =>
  useQuery({
    queryKey: SERVICES,
    queryFn: (): Promise<Credentials> => unwrap(client.GET("/api/v1/services")),
  });

export async function storeService(name: string, kind: string, token: string): Promise<string> {
  await unwrap(
    client.PUT("/api/v1/services/{name}", { params: { path: { name } }, body: { kind, token } as never }),
  );
  return `Added ${name}`;
}

export async function testService(name: string): Promise<string> {
  const { who, address } = await unwrap(
    client.POST("/api/v1/services/{service}/test", { params: { path: { service: name } } }),
  );
  return `${name} is ${who} at ${address}`;
}

export const removeService = (name: string) =>
  unwrap(client.DELETE("/api/v1/services/{name}", { params: { path: { name } } }));
