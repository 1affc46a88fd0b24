/** Runs: the list with its filters, one run's workflow, what came in to a step. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { RunStatus } from "../model/run/runState";
import type { Json, Workflow } from "../model/workflow/workflow";

export type RunSummary = Schemas["RunShape"];
export type WholeRun = Schemas["WholeRun"];

export const RUNS = ["runs"] as const;
export const RUN = ["run"] as const;

export interface RunFilter {
  status: RunStatus | null;
  workflow: string | null;
  limit: number;
}

export function useRuns({ status, workflow, limit }: RunFilter) {
  return useQuery({
    queryKey: [...RUNS, status, workflow, limit],
    queryFn: async () => {
      const query = { limit, ...(status ? { status } : {}), ...(workflow ? { workflow } : {}) };
      return (await unwrap(client.GET("/api/v1/runs", { params: { query } }))).runs;
    },
    // Changes are told; this is for whoever cannot hear them.
    refetchInterval: 30_000,
  });
}

/** A run with its steps; of values that are too large their beginning and their digest. */
export function useRun(id: string | null) {
  return useQuery({
    queryKey: [...RUN, id],
    queryFn: () =>
      unwrap(
        client.GET("/api/v1/runs/{run}", { params: { path: { run: id! }, query: { maxChars: 20_000 } } }),
      ),
    enabled: id !== null,
  });
}

export async function loadRunWorkflow(id: string): Promise<Workflow> {
  const found = await unwrap(client.GET("/api/v1/runs/{run}/workflow", { params: { path: { run: id } } }));
  return found.document as unknown as Workflow;
}

/** What came in to a step, and what it worked with; asked again when the step goes on. */
export function useStepInput(run: string | null, step: string | null, stamp: string) {
  return useQuery({
    queryKey: ["step", run, step, stamp],
    queryFn: async () => {
      const params = { path: { run: run! }, query: { step: step!, maxChars: 20_000 } };
      const found = await unwrap(client.GET("/api/v1/runs/{run}/input", { params }));
      return {
        input: found.input as Json,
        cut: found.cut ?? undefined,
        given: (found.given ?? undefined) as Json | undefined,
      };
    },
    enabled: run !== null && step !== null,
    retry: false,
  });
}

/** Where the whole of a value is. */
export interface ValueSource {
  run: string;
  /** Of the run itself, where there is none. */
  step: string | null;
  part: "output" | "input";
}

/** All of a value, as a file. */
export async function loadValue({ run, step, part }: ValueSource): Promise<Blob> {
  const path = { run };
  if (part === "input") {
    const found = await unwrap(
      client.GET("/api/v1/runs/{run}/input", { params: { path, query: { step: step! } } }),
    );
    return new Blob([JSON.stringify(found.input, null, 2)], { type: "application/json" });
  }
  const query = step === null ? {} : { step };
  return (await unwrap(
    client.GET("/api/v1/runs/{run}/output", { params: { path, query }, parseAs: "blob" }),
  )) as unknown as Blob;
}

export async function loadImage(run: string, step: string | null, at: string): Promise<Blob> {
  const params = { path: { run }, query: { step: step!, at } };
  return (await unwrap(
    client.GET("/api/v1/runs/{run}/picture", { params, parseAs: "blob" }),
  )) as unknown as Blob;
}
