import { useEffect, useRef } from "react";
import type { ReportedProgress } from "../../model/run/progressMessage";
import { progressMessage } from "../../model/run/progressMessage";
import type { RunView } from "../../model/run/runState";
import { announce } from "../../state/announcements";

/** A busy run changes a hundred times a second, which no screen reader can follow. */
const INTERVAL_MS = 1_000;

/** Announces the progress of a run, at most once a second. */
export function useRunAnnouncements(run: RunView | null, titles: ReadonlyMap<string, string>): void {
  const latest = useRef({ run, titles });
  const reported = useRef<ReportedProgress | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    latest.current = { run, titles };
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const { run: now, titles: names } = latest.current;
      if (!now) return;
      const progress = progressMessage(reported.current, now, names);
      reported.current = progress.told;
      if (progress.words) announce(progress.words);
    }, INTERVAL_MS);
  }, [run, titles]);
  useEffect(() => () => clearTimeout(timer.current), []);
}
