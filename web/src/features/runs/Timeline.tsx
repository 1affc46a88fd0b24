/** When each step ran, as bars on one time scale; a step is selected here or on the canvas. */

import type { KeyboardEvent, RefObject } from "react";
import { memo, useEffect, useId, useRef, useState } from "react";
import { serviceNow } from "../../api/clock";
import type { RunView, Step } from "../../model/run/runState";
import { FINAL_STATUSES, formatDuration, durationMs } from "../../model/run/runState";
import { statusTone } from "../../ui/statusTone";

interface Props {
  run: RunView;
  titles: ReadonlyMap<string, string>;
  chosen: string | null;
  onChoose(key: string): void;
}

/** The height of every row, so that only visible rows are rendered. Keep it equal to the one in runs.css. */
const ROW_HEIGHT = 22;
const EXTRA_ROWS = 8;

export function Timeline({ run, titles, chosen, onChoose }: Props) {
  const now = useNow(!FINAL_STATUSES.has(run.status));
  const start = Date.parse(run.startedAt ?? new Date(now).toISOString());
  const end = Math.max(run.finishedAt ? Date.parse(run.finishedAt) : now, start + 1);
  const keys = run.order;
  const at = chosen === null ? -1 : keys.indexOf(chosen);
  const list = useRef<HTMLDivElement>(null);
  const { first, last } = useVisibleRows(list, keys.length, at);
  const onKey = (event: KeyboardEvent) => {
    const to = {
      ArrowDown: Math.min(at + 1, keys.length - 1),
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: keys.length - 1,
    }[event.key];
    if (to === undefined || keys.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(keys[to]!);
  };
  const id = useId();
  const isDrawn = at >= first && at < last;
  return (
    <div
      ref={list}
      className="timeline"
      role="listbox"
      aria-label="Steps in start order"
      tabIndex={0}
      aria-activedescendant={isDrawn ? `${id}-${at}` : undefined}
      onKeyDown={onKey}
    >
      <div style={{ height: first * ROW_HEIGHT }} />
      {keys.slice(first, last).map((key, index) => (
        <Row
          key={key}
          id={`${id}-${first + index}`}
          step={run.steps[key]!}
          title={stepTitle(key, titles)}
          start={start}
          span={end - start}
          now={end}
          isChosen={key === chosen}
          place={first + index + 1}
          of={keys.length}
          onChoose={onChoose}
        />
      ))}
      <div style={{ height: (keys.length - last) * ROW_HEIGHT }} />
      {keys.length === 0 && <div className="faint timeline__more">Waiting for the first step…</div>}
    </div>
  );
}

/** The range of rows to render. Scrolls to the chosen row, and stays at the end while it is there. */
function useVisibleRows(
  list: RefObject<HTMLDivElement | null>,
  count: number,
  chosen: number,
): { first: number; last: number } {
  const [view, setView] = useState({ top: 0, height: 300 });
  const wasAtEnd = useRef(false);
  useEffect(() => {
    const box = list.current!;
    const onScroll = () => {
      wasAtEnd.current =
        box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - ROW_HEIGHT;
      setView({ top: box.scrollTop, height: box.clientHeight });
    };
    const observer = new ResizeObserver(onScroll);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, [list]);
  useEffect(() => {
    const box = list.current!;
    if (chosen < 0) return;
    const top = chosen * ROW_HEIGHT;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 2 * ROW_HEIGHT > box.scrollTop + box.clientHeight)
      box.scrollTop = top + 2 * ROW_HEIGHT - box.clientHeight;
  }, [list, chosen]);
  useEffect(() => {
    if (wasAtEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [list, count]);
  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - EXTRA_ROWS);
  return { first, last: Math.min(count, Math.ceil((view.top + view.height) / ROW_HEIGHT) + EXTRA_ROWS) };
}

interface RowProps {
  id: string;
  step: Step;
  title: string;
  start: number;
  span: number;
  now: number;
  isChosen: boolean;
  /** The position in the whole list, because most rows are not in the DOM. */
  place: number;
  of: number;
  onChoose(key: string): void;
}

const Row = memo(function Row({
  id,
  step,
  title,
  start,
  span,
  now,
  isChosen,
  place,
  of,
  onChoose,
}: RowProps) {
  const from = Date.parse(step.startedAt);
  const to = step.finishedAt ? Date.parse(step.finishedAt) : now;
  const left = ((from - start) / span) * 100;
  const width = Math.max(((to - from) / span) * 100, 0.6);
  const isTaken = step.isReused || step.isPinned;
  return (
    <div
      id={id}
      className="timeline__row"
      role="option"
      aria-selected={isChosen}
      aria-posinset={place}
      aria-setsize={of}
      onClick={() => onChoose(step.key)}
    >
      <span className="timeline__name" title={title}>
        {title}
      </span>
      <span className="visually-hidden">
        , {step.status}, started after {formatDuration(from - start)},{" "}
      </span>
      <svg className="timeline__bars" aria-hidden="true">
        <rect
          className={`timeline__bar timeline__bar--${isTaken ? "plain" : statusTone(step.status)}`}
          x={`${Math.min(left, 99.4)}%`}
          y="4"
          width={`${Math.min(width, 100 - Math.min(left, 99.4))}%`}
          height="12"
          rx="3"
        />
      </svg>
      <span className="timeline__took">
        {resultOf(step)}
        {step.attempts.length > 1 && ` · ${step.attempts.length} attempts`}
      </span>
    </div>
  );
});

/** How a step ended and how long it took, in words: its colour alone would not say it to everybody. */
function resultOf(step: Step): string {
  if (step.isPinned) return "pinned";
  if (step.isReused) return "reused";
  const took = () => formatDuration(durationMs(step.startedAt, step.finishedAt));
  if (step.status === "success") return took();
  if (step.status === "failed") return `failed · ${took()}`;
  return step.queue && step.status === "waiting" ? `queue ${step.queue.name}` : step.status;
}

export function stepTitle(key: string, titles: ReadonlyMap<string, string>): string {
  const parts = key.split("/").map((part) => {
    const [id = part, turn] = part.split("#");
    const title = titles.get(id) ?? id;
    return turn === undefined ? title : `${title} #${Number(turn) + 1}`;
  });
  return parts.join(" › ");
}

function useNow(isOn: boolean): number {
  const [now, setNow] = useState(() => serviceNow());
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(serviceNow()), 200);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}
