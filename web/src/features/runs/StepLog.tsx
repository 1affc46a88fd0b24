/** The log of a step by attempt: when it started, how long it took, why it failed, when it was retried. */

import type { LogLine, Step, Attempt } from "../../model/run/runState";
import { formatDuration, durationMs } from "../../model/run/runState";
import { hintParts } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import { Hint } from "../../ui/Hint";
import { Untrusted } from "../../ui/Untrusted";

export function StepLog({ step }: { step: Step }) {
  const { attempts, log } = step;
  return (
    <ol className="tries" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <li key={attempt.attempt}>
          <span className="mono">{new Date(attempt.startedAt).toLocaleTimeString()}</span> attempt{" "}
          {attempt.attempt}
          {attempt.finishedAt && (
            <span className="faint">
              {" "}
              · {formatDuration(durationMs(attempt.startedAt, attempt.finishedAt))}
            </span>
          )}
          <LogLines lines={log.filter((line) => line.attempt === attempt.attempt)} />
          <Failure attempt={attempt} next={attempts[index + 1]} />
        </li>
      ))}
      {attempts.length === 0 && <li className="faint">Computed without an attempt log.</li>}
    </ol>
  );
}

function LogLines({ lines }: { lines: readonly LogLine[] }) {
  if (lines.length === 0) return null;
  return (
    <ul className="log" aria-label="Log">
      {lines.map((line, index) => (
        <li key={index}>
          <span className="mono faint">{new Date(line.at).toLocaleTimeString()}</span>{" "}
          <span className="mono">{line.total ? `${line.done}/${line.total}` : line.done}</span>{" "}
          {line.message && <Untrusted {...safeText(line.message)} />}
        </li>
      ))}
    </ul>
  );
}

function Failure({ attempt, next }: { attempt: Attempt; next: Attempt | undefined }) {
  if (!attempt.error) return null;
  const again =
    attempt.retryAt &&
    (next
      ? `retried after ${formatDuration(durationMs(attempt.finishedAt, next.startedAt))}`
      : `retried at ${new Date(attempt.retryAt).toLocaleTimeString()}`);
  return (
    <div className="tries__error">
      <Untrusted {...safeText(attempt.error.message)} />{" "}
      <span className="mono faint">{attempt.error.code}</span>
      {attempt.error.hint && (
        <div className="faint">
          <Hint parts={hintParts(attempt.error.hint)} />
        </div>
      )}
      {again && <div className="faint">{again}</div>}
    </div>
  );
}
