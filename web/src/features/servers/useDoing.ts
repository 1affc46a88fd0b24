/** One thing at a time done to servers: why it was refused is told, then all is asked again. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { notifyError } from "../../model/noticeStore";
import { SERVERS } from "../../queries/servers";

type Start = (failed: string, work: () => Promise<unknown>) => void;

export function useDoing(): [boolean, Start] {
  const [doing, setDoing] = useState(false);
  const queries = useQueryClient();
  const start: Start = (failed, work) => {
    setDoing(true);
    work()
      .catch((error: unknown) => notifyError(error, failed))
      .finally(() => {
        setDoing(false);
        void queries.invalidateQueries({ queryKey: SERVERS });
        void queries.invalidateQueries({ queryKey: ["catalog"] });
      });
  };
  return [doing, start];
}
