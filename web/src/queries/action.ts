/** One thing at a time: why it was refused is told, then what it may have changed is asked again. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { notify, notifyError } from "../state/notices";

/** Does `work`; what it gives, if a text, is told when it is done. */
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
