/** What a step said while it ran, and every try: when, how long, why it failed, when the next one follows. */

import type { LogLine, Step, Try } from "../../model/run/runState";
import { shownMs, tookMs } from "../../model/run/runState";
import { shownText } from "../../model/text/untrusted";
import { Untrusted } from "../../ui/Untrusted";

export function StepLog({ step }: { step: Step }) {
  const { tries, log } = step;
  return (
    <ol className="tries" aria-label="Tries">
      {tries.map((one, index) => (
        <li key={one.attempt}>
          <span className="mono">{new Date(one.startedAt).toLocaleTimeString()}</span> try {one.attempt}
          {one.finishedAt && <span className="faint"> · {shownMs(tookMs(one.startedAt, one.finishedAt))}</span>}
          <Lines lines={log.filter((line) => line.attempt === one.attempt)} />
          <Failure one={one} next={tries[index + 1]} />
        </li>
      ))}
      {tries.length === 0 && <li className="faint">Computed at once.</li>}
    </ol>
  );
}

function Lines({ lines }: { lines: readonly LogLine[] }) {
  if (lines.length === 0) return null;
  return (
    <ul className="log" aria-label="Log">
      {lines.map((line, index) => (
        <li key={index}>
          <span className="mono faint">{new Date(line.at).toLocaleTimeString()}</span> <span className="mono">{line.total ? `${line.done}/${line.total}` : line.done}</span> {line.message && <Untrusted {...shownText(line.message)} />}
        </li>
      ))}
    </ul>
  );
}

function Failure({ one, next }: { one: Try; next: Try | undefined }) {
  if (!one.error) return null;
  const again = one.retryAt && (next ? `tried again after ${shownMs(tookMs(one.finishedAt, next.startedAt))}` : `tried again at ${new Date(one.retryAt).toLocaleTimeString()}`);
  return (
    <div className="tries__error">
      <Untrusted {...shownText(one.error.message)} /> <span className="mono faint">{one.error.code}</span>
      {one.error.hint && <div className="faint">{one.error.hint}</div>}
      {again && <div className="faint">{again}</div>}
    </div>
  );
}
