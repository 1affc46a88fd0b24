/** The catalog with all tools, refetched when the window gets focus. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, unwrap } from "../api/client";
import type { CatalogEntry, Specs } from "../model/workflow/catalog";
import { specsByRef } from "../model/workflow/catalog";

const NO_ENTRIES: CatalogEntry[] = [];

export function useEntries(): { entries: CatalogEntry[]; isLoading: boolean } {
  const { data: catalog, isLoading } = useQuery({
    queryKey: ["catalog"],
    queryFn: () => unwrap(client.GET("/api/v1/catalog/nodes")),
    staleTime: 15_000,
  });
  return { entries: catalog?.nodes ?? NO_ENTRIES, isLoading };
}

export function useSpecs(): Specs {
  const { entries } = useEntries();
  return useMemo(() => specsByRef(entries), [entries]);
}

/** One node with its fields, for forms. */
export function useNodeDetails(ref: string | null) {
  return useQuery({
    queryKey: ["catalog", ref],
    queryFn: () => unwrap(client.GET("/api/v1/catalog/node", { params: { query: { ref: ref! } } })),
    enabled: ref !== null && ref.includes("."),
    staleTime: 60_000,
    retry: false,
  });
}
