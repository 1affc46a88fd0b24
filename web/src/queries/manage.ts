/** Models, published tools, credentials of services, libraries and documents. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { JsonObject } from "../model/workflow/workflow";

export const MODELS = ["models"] as const;
export const PUBLISHED = ["published"] as const;
export const SERVICES = ["services"] as const;
export const LIBRARIES = ["libraries"] as const;
export const DOCUMENTS = ["documents"] as const;

export const useModels = () =>
  useQuery({ queryKey: MODELS, queryFn: async () => (await unwrap(client.GET("/api/v1/models"))).models });

export const PROVIDERS = ["anthropic", "openai", "gemini", "compatible"] as const;

export interface NewModel {
  name: string;
  provider: string;
  model?: string;
  baseUrl?: string;
  key?: string;
}

export async function addModel(model: NewModel): Promise<string> {
  await unwrap(client.POST("/api/v1/models", { body: model as never }));
  return `Added ${model.name}`;
}

const modelPath = (model: string) => ({ params: { path: { model } } });

export async function testModel(name: string): Promise<string> {
  const { text, tookMs } = await unwrap(client.POST("/api/v1/models/{model}/test", modelPath(name)));
  return `${name} answered in ${tookMs} ms: ${text.slice(0, 200)}`;
}

export const makeDefault = (name: string) =>
  unwrap(client.PUT("/api/v1/models/{model}/default", modelPath(name)));
export const removeModel = (name: string) => unwrap(client.DELETE("/api/v1/models/{model}", modelPath(name)));

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

export type Credentials = Schemas["CredentialsShape"];

export const useServices = () =>
  useQuery({
    queryKey: SERVICES,
    queryFn: (): Promise<Credentials> => unwrap(client.GET("/api/v1/services")),
  });

export async function storeService(name: string, kind: string, token: string): Promise<string> {
  await unwrap(
    client.PUT("/api/v1/services/{name}", { params: { path: { name } }, body: { kind, token } as never }),
  );
  return `Kept ${name} in the vault`;
}

export async function testService(name: string): Promise<string> {
  const { who, address } = await unwrap(
    client.POST("/api/v1/services/{service}/test", { params: { path: { service: name } } }),
  );
  return `${name} is ${who} at ${address}`;
}

export const removeService = (name: string) =>
  unwrap(client.DELETE("/api/v1/services/{name}", { params: { path: { name } } }));

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

export type FlowExecution = Schemas["ExecutionShape"];

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

export const useDocuments = () =>
  useQuery({
    queryKey: DOCUMENTS,
    queryFn: async () => (await unwrap(client.GET("/api/v1/documents"))).documents,
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
  return `${path}: ${ran} ran, ${failed} failed, ${skipped} had their result`;
}
