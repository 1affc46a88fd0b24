/** Runs: the list with its filters, a single run, the input of a step, and starting and cancelling one. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import { eventTriggerOf } from "../model/run/inputs";
import type { RunStatus } from "../model/run/runState";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
import type { Json, JsonObject, Workflow } from "../model/workflow/workflow";
import { nodeTitle } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";

export type RunSummary = Schemas["RunSummary"];
export type WholeRun = Schemas["RunDetails"];

export const RUNS = ["runs"] as const;
export const RUN = ["run"] as const;

const FIRST_PAGE = 50;
const NEXT_PAGE = 250;

export interface RunFilter {
  /** One of these. */
  status: readonly RunStatus[] | null;
  workflow: string | null;
  /** Text in the inputs of the run. */
  text: string;
  /** The period in which the run started. */
  since: string | null;
  until: string | null;
}

/** The runs that started last. */
export function useRecentRuns(limit: number) {
  return useQuery({
    queryKey: [...RUNS, limit],
    queryFn: () => listRuns({ limit }),
    // The change feed triggers refetches; this interval is the fallback without it.
    refetchInterval: 30_000,
  });
}

/** The runs that match, newest first, page by page. */
export function useRunPages(filter: RunFilter) {
  return useInfiniteQuery({
    queryKey: [...RUNS, "pages", filter],
    queryFn: ({ pageParam }) =>
      listRuns({
        ...filter,
        limit: pageParam ? NEXT_PAGE : FIRST_PAGE,
        ...(pageParam ? { until: pageParam } : {}),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last, _, page) =>
      last.length < (page ? NEXT_PAGE : FIRST_PAGE) ? null : justAfter(last.at(-1)!.startedAt),
    select: ({ pages }) => [...new Map(pages.flat().map((run) => [run.id, run])).values()],
    refetchInterval: 30_000,
    placeholderData: (previous) => previous,
  });
}

/** A page ends before this time; runs that started in the same millisecond are in both pages. */
function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}

async function listRuns(wanted: Partial<RunFilter> & { limit: number }): Promise<RunSummary[]> {
  const query = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
  return (await unwrap(client.GET("/api/v1/runs", { params: { query } }))).runs;
}

/** A run with its steps; large values are truncated and have a digest. */
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
  const body = await unwrap(client.GET("/api/v1/runs/{run}/workflow", { params: { path: { run: id } } }));
  return completeWorkflow(body.document);
}

const NO_TITLES: ReadonlyMap<string, string> = new Map();

/** The names of the nodes of a run, as they were when it started. */
export function useRunTitles(id: string): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: [...RUN, id, "titles"],
    queryFn: async () => {
      const { nodes } = await loadRunWorkflow(id);
      return new Map(nodes.map((node) => [node.id, nodeTitle(node)]));
    },
  });
  return data ?? NO_TITLES;
}

/** The input and the settings of a step; refetched when its status changes. */
export function useStepInput(run: string | null, step: string | null, stamp: string) {
  return useQuery({
    queryKey: ["step", run, step, stamp],
    queryFn: async () => {
      const params = { path: { run: run! }, query: { step: step!, maxChars: 20_000 } };
      const body = await unwrap(client.GET("/api/v1/runs/{run}/input", { params }));
      return {
        input: body.input as Json,
        cut: body.cut ?? undefined,
        given: (body.given ?? undefined) as Json | undefined,
      };
    },
    enabled: run !== null && step !== null,
    retry: false,
  });
}

/** Where a whole value can be loaded from. */
export interface ValueSource {
  run: string;
  /** Null for the result of the run itself. */
  step: string | null;
  part: "output" | "input";
}

/** The whole value, as a file. */
export async function loadValue({ run, step, part }: ValueSource): Promise<Blob> {
  const path = { run };
  if (part === "input") {
    const body = await unwrap(
      client.GET("/api/v1/runs/{run}/input", { params: { path, query: { step: step! } } }),
    );
    return new Blob([JSON.stringify(body.input, null, 2)], { type: "application/json" });
  }
  const query = step === null ? {} : { step };
  return (await unwrap(
    client.GET("/api/v1/runs/{run}/output", { params: { path, query }, parseAs: "blob" }),
  )) as unknown as Blob;
}

/** A picture, sound or file in the output of a step; without a step, in the result of the run. */
export async function loadMedia(run: string, step: string | null, at: string): Promise<Blob> {
  const params = { path: { run }, query: { ...(step === null ? {} : { step }), at } };
  return (await unwrap(
    client.GET("/api/v1/runs/{run}/media", { params, parseAs: "blob" }),
  )) as unknown as Blob;
}

/** Starts a run of the workflow as it is on the canvas, saved or not, and follows it. */
export async function startRun(editor: Editor, workflow: Workflow, inputs: JsonObject): Promise<string> {
  const trigger = eventTriggerOf(workflow)?.id;
  const body = {
    document: workflow as unknown as Record<string, unknown>,
    inputs,
    usePins: true,
    // Another trigger of the workflow would start with an event that is not its own.
    ...(trigger ? { trigger } : {}),
  };
  const run = await unwrap(client.POST("/api/v1/runs", { body: body as never }));
  editor.run.follow(run.id, run.workflow);
  return run.id;
}

export async function cancelRun(id: string): Promise<void> {
  await unwrap(client.POST("/api/v1/runs/{run}/cancel", { params: { path: { run: id } } }));
}

export interface Rerun {
  /** The run that the results of earlier nodes are taken from. */
  run: string;
  node: string;
  /** Replaces the original input of the node. */
  input?: Json | undefined;
  /** Replaces the workflow of the original run. */
  workflow?: Workflow | undefined;
  /** Uses recorded answers and stops at the first request without one. */
  isRecorded?: boolean;
}

/** Runs again from a node and follows the new run. */
export async function rerunFrom(editor: Editor, rerun: Rerun): Promise<string> {
  const { run: id, node, input, workflow, isRecorded = false } = rerun;
  const edit = input === undefined ? {} : { edit: [{ op: "replace" as const, path: "/data", value: input }] };
  const body = {
    from: node,
    recorded: isRecorded,
    ...edit,
    ...(workflow ? { document: workflow, usePins: true } : {}),
  };
  const run = await unwrap(
    client.POST("/api/v1/runs/{run}/fork", { params: { path: { run: id } }, body: body as never }),
  );
  editor.run.follow(run.id, run.workflow);
  return run.id;
}
