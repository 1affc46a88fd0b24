/** The filters of the list of runs. */

import { useEffect, useState } from "react";
import type { RunStatus } from "../../model/run/runState";

const SEARCH_DELAY_MS = 250;
const HOUR_MS = 3_600_000;

export const PERIODS = [
  { title: "Any time", hours: 0 },
  { title: "Last hour", hours: 1 },
  { title: "Last 24 hours", hours: 24 },
  { title: "Last 7 days", hours: 168 },
] as const;

export function useRunFilters() {
  const [status, setStatus] = useState<RunStatus | null>(null);
  const [workflow, setWorkflow] = useState<string | null>(null);
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const [hours, setHours] = useState(0);
  const [since, setSince] = useState<string | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setText(typed.trim()), SEARCH_DELAY_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const setPeriod = (chosen: number) => {
    setHours(chosen);
    setSince(chosen ? new Date(Date.now() - chosen * HOUR_MS).toISOString() : null);
  };
  const isAny = status !== null || workflow !== null || text !== "" || hours !== 0;
  const clear = () => {
    setStatus(null);
    setWorkflow(null);
    setTyped("");
    setText("");
    setPeriod(0);
  };
  const chosen = { status, workflow, typed, text, hours, since, isAny };
  return { ...chosen, setStatus, setWorkflow, setTyped, setPeriod, clear };
}
