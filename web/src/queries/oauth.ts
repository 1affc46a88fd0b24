/** Programs that ask for access to the studio with OAuth. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

export type AccessRequest = Schemas["AccessRequestResponse"];

/** `query` is that of the address which the program opened. */
export function useAccessRequest(query: string) {
  return useQuery({
    queryKey: ["oauth", query],
    queryFn: () => unwrap(client.POST("/api/v1/oauth/requests", { body: { query } })),
    retry: false,
    staleTime: Infinity,
  });
}

/** Resolves to the address to which the browser goes next. */
export async function answerAccessRequest(
  query: string,
  allowed: boolean,
  scopes: string[],
  tools: string[],
): Promise<string> {
  const body = { query, allowed, scopes, tools };
  return (await unwrap(client.POST("/api/v1/oauth/grants", { body }))).location;
}
