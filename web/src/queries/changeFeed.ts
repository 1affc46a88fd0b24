/** Refetches what others changed, and nothing else. */

import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "../api/changeEvents";
import { versionStore, updateVersions } from "../state/topicVersions";
import { INBOX, UNCERTAIN } from "./inbox";
import { PUBLISHED } from "./publishedTools";
import { RUN, RUNS } from "./runs";
import { CATALOG, HEALTH, SERVERS } from "./servers";
import { TRIGGERS } from "./triggers";
import { OVERVIEW, WORKFLOWS } from "./workflows";

interface QueryTarget {
  queryKey: readonly string[];
  /** Only the query with exactly this key, not those below it. */
  exact?: boolean;
}

const QUERIES_BY_TOPIC: Record<string, QueryTarget[]> = {
  // A health check changes the server itself; its tools are refetched only when they changed.
  servers: [{ queryKey: SERVERS, exact: true }, { queryKey: HEALTH }],
  tools: [{ queryKey: SERVERS }, { queryKey: CATALOG }],
  workflows: [{ queryKey: WORKFLOWS }, { queryKey: TRIGGERS }],
  runs: [{ queryKey: RUNS }, { queryKey: RUN }, { queryKey: OVERVIEW }],
  inbox: [{ queryKey: INBOX }, { queryKey: UNCERTAIN }],
  published: [{ queryKey: PUBLISHED }, { queryKey: OVERVIEW }],
  triggers: [{ queryKey: TRIGGERS }, { queryKey: OVERVIEW }],
};

export function useChangeFeed(): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      followChanges((versions) => {
        const isFirst = Object.keys(versionStore.getState().versions).length === 0;
        for (const topic of updateVersions(versions)) refresh(queries, topic, isFirst);
      }),
    [queries],
  );
}

/** Queries that are loading when the page starts need not be restarted. */
function refresh(queries: QueryClient, topic: string, isFirst: boolean): void {
  for (const target of QUERIES_BY_TOPIC[topic] ?? [])
    void queries.invalidateQueries(target, { cancelRefetch: !isFirst });
}
