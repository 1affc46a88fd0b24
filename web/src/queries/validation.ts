/** Checks the open workflow as it is edited, a moment after the last change. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError, client, data, type Problem } from "../api/client";
import { connectionStore } from "../state/connection";
import { isWrongValue } from "../model/form/problems";
import { clearProblems, problemStore, takeProblems } from "../state/problems";
import type { Workflow } from "../model/workflow/workflow";

const PAUSE_MS = 350;
/** How long the last check took: a large workflow is checked less often than it is edited. */
let tookMs = 0;
let running: Promise<void> = Promise.resolve();

export function useChecking(workflow: Workflow | null): void {
  const link = useStore(connectionStore, (state) => state.link);
  useEffect(() => {
    if (!workflow) {
      clearProblems();
      return;
    }
    let isOld = false;
    const timer = setTimeout(() => {
      // One at a time: checks of edits that are past would only keep the service busy.
      running = running.then(() => (isOld ? undefined : check(workflow, () => isOld)));
    }, PAUSE_MS + Math.min(tookMs, 10 * PAUSE_MS));
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [workflow, link]);
}

async function check(workflow: Workflow, isOld: () => boolean): Promise<void> {
  problemStore.setState({ isChecking: true });
  const began = performance.now();
  try {
    const body = { document: workflow as unknown as Record<string, unknown> };
    const found = await data(client.POST("/api/v1/edit/validate", { body: body as never }));
    if (!isOld()) takeProblems(workflow, found.problems as Problem[]);
  } catch (error) {
    // What was said last stands; that nobody answers is said elsewhere.
    const fault = error instanceof ApiError && !error.isUnreachable ? error.message : null;
    if (!isOld()) problemStore.setState({ isChecking: false, fault });
  }
  tookMs = performance.now() - began;
}

/** The values of a workflow that the service says are wrong now; what is only missing is work in progress. */
export async function wrongValues(workflow: Workflow): Promise<Problem[]> {
  try {
    const body = { document: workflow as unknown as Record<string, unknown> };
    const { problems } = await data(client.POST("/api/v1/edit/validate", { body: body as never }));
    return (problems as Problem[]).filter((problem) => isWrongValue(workflow, problem));
  } catch {
    return []; // Saving tells why nobody answers.
  }
}
