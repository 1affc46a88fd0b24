/** Pages follow what others do: what changed is asked for again, and nothing else. */

import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "../api/changeEvents";
import { liveStore, takeVersions } from "../state/topicVersions";
import { INBOX, UNCERTAIN } from "./inbox";
import { PUBLISHED } from "./manage";
import { RUN, RUNS } from "./runs";
import { CATALOG, HEALTH, SERVERS } from "./servers";
import { TRIGGERS } from "./triggers";
import { WORKFLOWS } from "./workflows";

interface Wanted {
  queryKey: readonly string[];
  /** Only this very one, not those below it. */
  exact?: boolean;
}

const OF: Record<string, Wanted[]> = {
  // A look at a server changes its line; its tools are asked for again when they are others.
  servers: [{ queryKey: SERVERS, exact: true }, { queryKey: HEALTH }],
  tools: [{ queryKey: SERVERS }, { queryKey: CATALOG }],
  workflows: [{ queryKey: WORKFLOWS }, { queryKey: TRIGGERS }],
  runs: [{ queryKey: RUNS }, { queryKey: RUN }],
  inbox: [{ queryKey: INBOX }, { queryKey: UNCERTAIN }],
  published: [{ queryKey: PUBLISHED }],
  triggers: [{ queryKey: TRIGGERS }],
};

export function useLive(): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      followChanges((told) => {
        const isFirst = Object.keys(liveStore.getState().versions).length === 0;
        for (const topic of takeVersions(told)) refresh(queries, topic, isFirst);
      }),
    [queries],
  );
}

/** What is being asked for when the page begins needs not be asked for twice. */
function refresh(queries: QueryClient, topic: string, isFirst: boolean): void {
  for (const wanted of OF[topic] ?? []) void queries.invalidateQueries(wanted, { cancelRefetch: !isFirst });
}
