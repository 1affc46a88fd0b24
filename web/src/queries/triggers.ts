/** Triggers of all stored workflows, and their actions. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";

export const TRIGGERS = ["triggers"] as const;

export type Trigger = Schemas["TriggerLine"];
export type TriggerFiring = Schemas["TriggerEventRecord"];

export const useTriggers = (isNeeded = true) =>
  useQuery({
    enabled: isNeeded,
    queryKey: TRIGGERS,
    queryFn: async () => (await unwrap(client.GET("/api/v1/triggers"))).triggers,
    refetchInterval: 60_000,
  });

const triggerPath = (name: string, node: string | null) => ({
  params: { path: { name } },
  body: (node ? { node } : {}) as never,
});

export async function enableTriggers(workflow: string): Promise<string> {
  await unwrap(client.POST("/api/v1/triggers/{name}/enable", triggerPath(workflow, null)));
  return `${workflow} is active`;
}

export async function disableTriggers(workflow: string): Promise<string> {
  await unwrap(client.POST("/api/v1/triggers/{name}/disable", { params: { path: { name: workflow } } }));
  return `${workflow} is inactive`;
}

export async function pauseTrigger({ workflow, node, title }: Trigger): Promise<string> {
  await unwrap(client.POST("/api/v1/triggers/{name}/pause", triggerPath(workflow, node)));
  return `${title} is paused`;
}

export async function resumeTrigger({ workflow, node, title }: Trigger): Promise<string> {
  await unwrap(client.POST("/api/v1/triggers/{name}/resume", triggerPath(workflow, node)));
  return `${title} is resumed`;
}

export const runTrigger = async ({ workflow, node }: Trigger): Promise<string> =>
  (await unwrap(client.POST("/api/v1/triggers/{name}/run", triggerPath(workflow, node)))).run;
