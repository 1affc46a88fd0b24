/** The catalog with every live tool, asked for once and again when the page comes back. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, data } from "../api/client";
import type { Entry, Specs } from "../model/workflow/catalog";
import { specsOf } from "../model/workflow/catalog";

const NONE: Entry[] = [];

export function useEntries(): { entries: Entry[]; isLoading: boolean } {
  const { data: found, isLoading } = useQuery({
    queryKey: ["catalog"],
    queryFn: () => data(client.GET("/api/v1/catalog/nodes")),
    staleTime: 15_000,
  });
  return { entries: found?.nodes ?? NONE, isLoading };
}

export function useSpecs(): Specs {
  const { entries } = useEntries();
  return useMemo(() => specsOf(entries), [entries]);
}

/** One node with its fields, for forms. */
export function useNodePage(ref: string | null) {
  return useQuery({
    queryKey: ["catalog", ref],
    queryFn: () => data(client.GET("/api/v1/catalog/node", { params: { query: { ref: ref! } } })),
    enabled: ref !== null && ref.includes("."),
    staleTime: 60_000,
    retry: false,
  });
}
