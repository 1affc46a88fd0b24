/** When each step ran, as bars over one scale; a step is chosen here or on the canvas. */

import type { KeyboardEvent } from "react";
import { memo, useEffect, useId, useRef, useState } from "react";
import { serviceNow } from "../../api/clock";
import type { RunView, Step } from "../../model/runState";
import { FINAL, shownMs, tookMs } from "../../model/runState";
import { toneOf } from "./tones";

interface Props {
  run: RunView;
  titles: ReadonlyMap<string, string>;
  chosen: string | null;
  onChoose(key: string): void;
}

const MOST_ROWS = 400;

export function Timeline({ run, titles, chosen, onChoose }: Props) {
  const now = useNow(!FINAL.has(run.status));
  const start = Date.parse(run.startedAt ?? new Date(now).toISOString());
  const end = Math.max(run.finishedAt ? Date.parse(run.finishedAt) : now, start + 1);
  const keys = run.order.slice(0, MOST_ROWS);
  const walk = (event: KeyboardEvent) => {
    const at = keys.indexOf(chosen ?? "");
    const to = { ArrowDown: Math.min(at + 1, keys.length - 1), ArrowUp: Math.max(at - 1, 0), Home: 0, End: keys.length - 1 }[event.key];
    if (to === undefined || keys.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(keys[to]!);
  };
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = keys.indexOf(chosen ?? "");
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div ref={list} className="timeline" role="listbox" aria-label="Steps in the order they began" tabIndex={0} aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined} onKeyDown={walk}>
      {keys.map((key, index) => (
        <Row key={key} id={`${id}-${index}`} step={run.steps[key]!} title={titleOf(key, titles)} start={start} span={end - start} now={end} isChosen={key === chosen} onChoose={onChoose} />
      ))}
      {run.order.length > MOST_ROWS && <div className="faint timeline__more">{run.order.length - MOST_ROWS} more steps</div>}
      {run.order.length === 0 && <div className="faint timeline__more">Waiting for the first step…</div>}
    </div>
  );
}

interface RowProps {
  id: string;
  step: Step;
  title: string;
  start: number;
  span: number;
  now: number;
  isChosen: boolean;
  onChoose(key: string): void;
}

const Row = memo(function Row({ id, step, title, start, span, now, isChosen, onChoose }: RowProps) {
  const from = Date.parse(step.startedAt);
  const to = step.finishedAt ? Date.parse(step.finishedAt) : now;
  const left = ((from - start) / span) * 100;
  const width = Math.max(((to - from) / span) * 100, 0.6);
  return (
    <div id={id} className="timeline__row" role="option" aria-selected={isChosen} onClick={() => onChoose(step.key)}>
      <span className="timeline__name" title={title}>
        {title}
      </span>
      <span className="visually-hidden">
        , {step.status}, began after {shownMs(from - start)},{" "}
      </span>
      <svg className="timeline__bars" aria-hidden="true">
        <rect className={`timeline__bar timeline__bar--${toneOf(step.status)}`} x={`${Math.min(left, 99.4)}%`} y="4" width={`${Math.min(width, 100 - Math.min(left, 99.4))}%`} height="12" rx="3" />
      </svg>
      <span className="timeline__took">
        {step.status === "success" || step.status === "failed" ? shownMs(tookMs(step.startedAt, step.finishedAt)) : step.status}
        {step.tries.length > 1 && ` · ${step.tries.length} tries`}
      </span>
    </div>
  );
});

export function titleOf(key: string, titles: ReadonlyMap<string, string>): string {
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
