/** Libraries: git repositories with flows and templates. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { JsonObject } from "../model/workflow/workflow";

export const LIBRARIES = ["libraries"] as const;

export const useLibraries = () =>
  useQuery({
    queryKey: LIBRARIES,
    queryFn: async () => (await unwrap(client.GET("/api/v1/library"))).libraries,
  });

const libraryPath = (library: string) => ({ params: { path: { library } } });

export function useLibrary(name: string | null) {
  return useQuery({
    queryKey: [...LIBRARIES, name],
    queryFn: () => unwrap(client.GET("/api/v1/library/{library}", libraryPath(name!))),
    enabled: name !== null,
    retry: false,
  });
}

export async function addLibrary(name: string, url: string, ref: string | null): Promise<string> {
  await unwrap(client.POST("/api/v1/library", { body: { name, url, ...(ref ? { ref } : {}) } as never }));
  return `Added ${name}`;
}

export type FlowExecution = Schemas["FlowExecution"];

const flowPath = (library: string, flow: string) => ({ params: { path: { library, flow } } });

/** The names of the inputs of a flow. */
export function useFlowInputs(library: string, flow: string) {
  return useQuery({
    queryKey: [...LIBRARIES, library, "flow", flow],
    queryFn: async () => {
      const found = await unwrap(
        client.GET("/api/v1/library/{library}/flows/{flow}", flowPath(library, flow)),
      );
      const nodes = (found.flow["nodes"] ?? []) as { type?: string; data?: { variables?: string[] } }[];
      return nodes.filter(({ type }) => type === "multi_input").flatMap((node) => node.data?.variables ?? []);
    },
    retry: false,
  });
}

export function runFlow(library: string, flow: string, inputs: JsonObject): Promise<FlowExecution> {
  return unwrap(
    client.POST("/api/v1/library/{library}/flows/{flow}/run", {
      ...flowPath(library, flow),
      body: { inputs } as never,
    }),
  );
}

export async function refreshLibrary(name: string): Promise<string> {
  const { ref, commit } = await unwrap(client.POST("/api/v1/library/{library}/refresh", libraryPath(name)));
  return `${name} is at ${ref}, ${commit.slice(0, 8)}`;
}

export const removeLibrary = (name: string) =>
  unwrap(client.DELETE("/api/v1/library/{library}", libraryPath(name)));
