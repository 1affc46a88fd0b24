/** Compares the workflow on the canvas with its past runs: which results and requests would be different. */

import { useEffect } from "react";
import { safeText } from "../../model/text/untrusted";
import type { BacktestCase, useBacktest } from "../../queries/backtest";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Untrusted } from "../../ui/Untrusted";

const MAX_ROWS = 100;
const MAX_LINES = 4;
const VERDICTS = {
  same: { title: "same", tone: "good" },
  differs: { title: "different", tone: "bad" },
  not_judged: { title: "not compared", tone: "warn" },
} as const;

export function BacktestPanel({ backtest }: { backtest: ReturnType<typeof useBacktest> }) {
  const { found, start, stop } = backtest;
  useEffect(() => stop, [stop]);
  return (
    <section className="backtest" aria-label="Backtest">
      <div className="row">
        <Button icon="again" disabled={found?.isRunning} onClick={() => void start()}>
          Backtest
        </Button>
        <span className="faint" aria-live="polite">
          {found ? summary(found) : "Compare with past runs before you publish. Nothing is called."}
        </span>
      </div>
      {found?.error && <p role="alert">{found.error}</p>}
      {found && <Cases cases={found.cases} />}
    </section>
  );
}

function summary({ cases, isRunning }: { cases: readonly BacktestCase[]; isRunning: boolean }): string {
  if (isRunning) return `${cases.length} runs compared…`;
  if (cases.length === 0) return "There are no past runs of this workflow.";
  const count = (verdict: BacktestCase["verdict"]) => cases.filter((one) => one.verdict === verdict).length;
  return (
    `${cases.length} ${cases.length === 1 ? "run" : "runs"}: ${count("same")} same, ` +
    `${count("differs")} different, ${count("not_judged")} not compared`
  );
}

function Cases({ cases }: { cases: readonly BacktestCase[] }) {
  const shown = cases.filter(({ verdict }) => verdict !== "same");
  if (shown.length === 0) return null;
  return (
    <div className="backtest__table" tabIndex={0} role="region" aria-label="Runs with differences">
      <table className="table">
        <thead>
          <tr>
            <th>Run</th>
            <th>Verdict</th>
            <th>What is different</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MAX_ROWS).map((one) => (
            <tr key={one.name}>
              <td>
                <a href={hrefTo("runs", one.name)} target="_blank" rel="noreferrer">
                  {one.startedAt ? new Date(one.startedAt).toLocaleString() : one.name}
                </a>
              </td>
              <td>
                <Badge tone={VERDICTS[one.verdict].tone}>{VERDICTS[one.verdict].title}</Badge>
              </td>
              <td>
                <Lines lines={linesOf(one)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length > MAX_ROWS && <p className="faint">And {shown.length - MAX_ROWS} more.</p>}
    </div>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.slice(0, MAX_LINES).map((line) => (
        <li key={line}>
          <Untrusted {...safeText(line)} />
        </li>
      ))}
      {lines.length > MAX_LINES && <li className="faint">and {lines.length - MAX_LINES} more</li>}
    </ul>
  );
}

/** What is different, the result first. */
function linesOf(one: BacktestCase): string[] {
  const differences = [...one.differences].sort((a, b) => rank(a.step) - rank(b.step));
  return [
    ...one.newRequests.map(({ step, message }) => `${step}: new request: ${message ?? ""}`),
    ...differences.flatMap(({ step, what, message, values }) =>
      values?.length
        ? values.map((at) => `${step}${at.pointer}: ${text(at.expected)} → ${text(at.actual)}`)
        : [`${step}: ${message ?? what}`],
    ),
    ...one.noLonger.map((call) => `no longer made: ${call}`),
    ...one.notJudged.map((reason) => `not compared: ${reason}`),
  ];
}

const rank = (step: string) => (step === "result" ? 0 : 1);
const text = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120));
