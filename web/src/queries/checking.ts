/** Checks the open workflow as it is edited, a moment after the last change. */

import { useEffect } from "react";
import { useStore } from "zustand";
import { ApiError, client, data, type Problem } from "../api/client";
import { connectionStore } from "../model/connectionStore";
import { clearProblems, problemStore, takeProblems } from "../model/problemStore";
import type { Workflow } from "../model/workflow";

const PAUSE_MS = 350;

export function useChecking(workflow: Workflow | null): void {
  const link = useStore(connectionStore, (state) => state.link);
  useEffect(() => {
    if (!workflow) {
      clearProblems();
      return;
    }
    let isOld = false;
    const check = async () => {
      problemStore.setState({ isChecking: true });
      try {
        const body = { document: workflow as unknown as Record<string, unknown> };
        const found = await data(client.POST("/api/v1/edit/validate", { body: body as never }));
        if (!isOld) takeProblems(workflow, found.problems as Problem[]);
      } catch (error) {
        // What was said last stands; that nobody answers is said elsewhere.
        const fault = error instanceof ApiError && !error.isUnreachable ? error.message : null;
        if (!isOld) problemStore.setState({ isChecking: false, fault });
      }
    };
    const timer = setTimeout(() => void check(), PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [workflow, link]);
}
