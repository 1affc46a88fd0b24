/** Runs one action at a time, reports its failure, and refetches what it may have changed. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { notify, notifyError } from "../state/notices";

/** Runs `work`; if it resolves to a text, that is shown as a notice. */
export type RunAction = (failure: string, work: () => Promise<unknown>) => Promise<boolean>;

export function useAction(...changedKeys: (readonly string[])[]): [boolean, RunAction] {
  const [isRunning, setRunning] = useState(false);
  const queries = useQueryClient();
  const start: RunAction = async (failed, work) => {
    setRunning(true);
    try {
      const result = await work();
      if (typeof result === "string") notify(result, { tone: "good" });
      return true;
    } catch (error) {
      notifyError(error, failed);
      return false;
    } finally {
      setRunning(false);
      for (const queryKey of changedKeys) void queries.invalidateQueries({ queryKey });
    }
  };
  return [isRunning, start];
}
