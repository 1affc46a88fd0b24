/** The filters of the list of runs. They are in the address, so that Back and a link bring them again. */

import { useEffect, useState } from "react";
import { timeOf } from "../../model/run/period";
import type { RunStatus } from "../../model/run/runState";
import type { RunFilter } from "../../queries/runs";
import { hrefTo, parseRoute } from "../../state/route";

const SEARCH_DELAY_MS = 250;
const HOUR_MS = 3_600_000;

/** The filter by status, and the statuses of the runs that it finds. */
export const STATUSES: Readonly<Record<string, readonly RunStatus[]>> = {
  running: ["running"],
  waiting: ["waiting"],
  uncertain: ["uncertain"],
  success: ["success"],
  failed: ["failed", "partial"],
  cancelled: ["cancelled"],
};

export const PERIODS = [
  { title: "Any time", value: "" },
  { title: "Last hour", value: "1" },
  { title: "Last 24 hours", value: "24" },
  { title: "Last 7 days", value: "168" },
  { title: "Custom…", value: "custom" },
] as const;

interface Choices {
  status: string;
  workflow: string;
  text: string;
  /** Hours until now, "custom", or "" for any time. */
  period: string;
  /** Local times of a custom period, as their fields write them. */
  from: string;
  to: string;
}

const NAMES = ["status", "workflow", "text", "period", "from", "to"] as const;

export function useRunFilters() {
  const [chosen, setChosen] = useState(readChoices);
  const [typed, setTyped] = useState(chosen.text);
  const [openedAt, setOpenedAt] = useState(Date.now);
  useEffect(() => {
    // The link to this page, clicked on this page.
    const reread = () => {
      if (parseRoute(window.location.hash).page !== "runs") return;
      const read = readChoices();
      setChosen(read);
      setTyped(read.text);
    };
    window.addEventListener("hashchange", reread);
    return () => window.removeEventListener("hashchange", reread);
  }, []);
  const choose = (change: Partial<Choices>) => {
    const next = { ...chosen, ...change };
    setChosen(next);
    if (change.period !== undefined) setOpenedAt(Date.now());
    writeChoices(next);
  };
  useEffect(() => {
    if (typed.trim() === chosen.text) return undefined;
    const timer = window.setTimeout(() => choose({ text: typed.trim() }), SEARCH_DELAY_MS);
    return () => window.clearTimeout(timer);
  });
  const clear = () => {
    setTyped("");
    choose({ status: "", workflow: "", text: "", period: "", from: "", to: "" });
  };
  return {
    chosen,
    choose,
    typed,
    setTyped,
    clear,
    filter: filterOf(chosen, openedAt),
    isAny: NAMES.some((name) => chosen[name] !== ""),
  };
}

function filterOf({ status, workflow, text, period, from, to }: Choices, openedAt: number): RunFilter {
  const isCustom = period === "custom";
  const hours = Number(period) || 0;
  return {
    status: (Object.hasOwn(STATUSES, status) && STATUSES[status]) || null,
    workflow: workflow || null,
    text,
    since: isCustom ? timeOf(from) : hours > 0 ? new Date(openedAt - hours * HOUR_MS).toISOString() : null,
    until: isCustom ? timeOf(to) : null,
  };
}

function readChoices(): Choices {
  const { query } = parseRoute(window.location.hash);
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])) as unknown as Choices;
}

/** Replaces the address without a new entry in the history. */
function writeChoices(choices: Choices): void {
  const query = new URLSearchParams(NAMES.flatMap((name) => (choices[name] ? [[name, choices[name]]] : [])));
  const text = query.toString();
  window.history.replaceState(null, "", hrefTo("runs") + (text && `?${text}`));
}
