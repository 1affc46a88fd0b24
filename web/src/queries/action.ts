/** One thing at a time: why it was refused is told, then what it may have changed is asked again. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { notify, notifyError } from "../state/notices";

/** Does `work`; what it gives, if a text, is told when it is done. */
export type Start = (failed: string, work: () => Promise<unknown>) => Promise<boolean>;

export function useDoing(...changed: (readonly string[])[]): [boolean, Start] {
  const [doing, setDoing] = useState(false);
  const queries = useQueryClient();
  const start: Start = async (failed, work) => {
    setDoing(true);
    try {
      const said = await work();
      if (typeof said === "string") notify(said, { tone: "good" });
      return true;
    } catch (error) {
      notifyError(error, failed);
      return false;
    } finally {
      setDoing(false);
      for (const queryKey of changed) void queries.invalidateQueries({ queryKey });
    }
  };
  return [doing, start];
}
