/** Language models: the list, the default, and a test request. */

import { useQuery } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";

export const MODELS = ["models"] as const;

export const useModels = () =>
  useQuery({ queryKey: MODELS, queryFn: async () => (await unwrap(client.GET("/api/v1/models"))).models });

export const PROVIDERS = ["anthropic", "openai", "gemini", "compatible", "local"] as const;

export interface FoundModel {
  server: string;
  model: string;
  baseUrl: string;
}

export const findModels = async () => (await unwrap(client.GET("/api/v1/models/discovered"))).models;

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
