/** Questions of runs, and steps of which it is unknown whether they finished. */

import { useQuery } from "@tanstack/react-query";
import { client, unwrap } from "../api/client";
import type { StepResolution } from "../model/run/stepResolution";
import type { Json } from "../model/workflow/workflow";

export const INBOX = ["inbox"] as const;
export const UNCERTAIN = ["uncertain"] as const;
/** The change feed triggers refetches; this interval is the fallback without it. */
const REFETCH_MS = 60_000;
const MAX_UNCERTAIN = 50;

const INBOX_QUERY = {
  queryKey: INBOX,
  queryFn: () => unwrap(client.GET("/api/v1/inbox")),
  refetchInterval: REFETCH_MS,
} as const;

export function useQuestions() {
  return useQuery({ ...INBOX_QUERY, select: ({ questions }) => questions });
}

/** What happened in this home, such as a server that was disabled after failures; newest first. */
export function useHomeNotices() {
  return useQuery({ ...INBOX_QUERY, select: ({ notices }) => notices });
}

export interface UncertainStep {
  run: string;
  workflow: string;
  step: string;
  startedAt: string;
}

export function useUncertainSteps() {
  return useQuery({ queryKey: UNCERTAIN, queryFn: uncertainSteps, refetchInterval: REFETCH_MS });
}

async function uncertainSteps(): Promise<UncertainStep[]> {
  const query = { status: ["uncertain" as const], limit: MAX_UNCERTAIN };
  const { runs } = await unwrap(client.GET("/api/v1/runs", { params: { query } }));
  const whole = await Promise.all(
    runs.map(({ id }) => unwrap(client.GET("/api/v1/runs/{run}", { params: { path: { run: id } } }))),
  );
  return whole.flatMap(({ id, workflow, steps }) =>
    steps
      .filter(({ status }) => status === "uncertain")
      .map(({ key, startedAt }) => ({ run: id, workflow, step: key, startedAt })),
  );
}

/** The number of items that wait for a person. */
export function useWaitingCount(): number {
  const { data: questions } = useQuestions();
  const { data: steps } = useUncertainSteps();
  return (questions?.length ?? 0) + (steps?.length ?? 0);
}

export function answerQuestion(id: string, reply: Json, as: string | null) {
  const body = { reply, ...(as ? { as } : {}) };
  return unwrap(client.POST("/api/v1/inbox/{id}/answer", { params: { path: { id } }, body: body as never }));
}

export async function resolveStep({ run, step }: UncertainStep, choice: StepResolution): Promise<void> {
  await unwrap(
    client.POST("/api/v1/runs/{run}/answer", { params: { path: { run } }, body: { step, choice } as never }),
  );
}
