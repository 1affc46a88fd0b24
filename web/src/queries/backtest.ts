/** Past runs replayed with the workflow on the canvas, page by page, before it is published. */

import { useCallback, useRef, useState } from "react";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import type { Workflow } from "../model/workflow/workflow";

export type BacktestCase = Schemas["BacktestCaseResponse"];

const PAGE = 25;
const MAX_RUNS = 1_000;

export interface Backtest {
  cases: readonly BacktestCase[];
  isRunning: boolean;
  error: string | null;
}

const EMPTY: Backtest = { cases: [], isRunning: false, error: null };

/** The backtest of a workflow, once it is started; null before. */
export function useBacktest(workflow: Workflow, of: string | null) {
  const [found, setFound] = useState<Backtest | null>(null);
  const isStopped = useRef(false);
  const start = async () => {
    isStopped.current = false;
    let cases: readonly BacktestCase[] = [];
    setFound({ ...EMPTY, isRunning: true });
    try {
      for (let skip = 0; skip < MAX_RUNS && !isStopped.current; skip += PAGE) {
        const body = { document: workflow, skip, limit: PAGE, ...(of ? { of } : {}) };
        const page = await unwrap(client.POST("/api/v1/edit/backtest", { body: body as never }));
        const known = new Set(cases.map(({ name }) => name));
        cases = [...cases, ...page.cases.filter(({ name }) => !known.has(name))];
        setFound({ ...EMPTY, cases, isRunning: page.hasMore });
        if (!page.hasMore) return;
      }
      setFound({ ...EMPTY, cases });
    } catch (error) {
      setFound({ cases, isRunning: false, error: (error as Error).message });
    }
  };
  const stop = useCallback(() => {
    isStopped.current = true;
  }, []);
  return { found, start, stop };
}
