/** The steps of a run: state, bar on one time scale, duration, and a button to run again from there. */

import type { AppRun, AppStep, Bar } from "../model/run/appRun";
import { barsOf } from "../model/run/appRun";
import { formatDuration } from "../model/run/duration";
import { safeText } from "../model/text/untrusted";
import { IconButton } from "../ui/Button";
import { statusTone } from "../ui/statusTone";
import { Untrusted } from "../ui/Untrusted";

interface Props {
  run: AppRun;
  isDisabled: boolean;
  onRerun(node: string): void;
}

export function RunTimeline({ run, isDisabled, onRerun }: Props) {
  const bars = barsOf(run);
  return (
    <section aria-label="Timeline">
      <h2>Steps</h2>
      <ol className="run-app__steps">
        {run.steps.map((step, at) => (
          <StepRow
            key={step.key}
            step={step}
            bar={bars[at] ?? null}
            isDisabled={isDisabled}
            onRerun={() => onRerun(step.key)}
          />
        ))}
      </ol>
      {run.hidden_steps > 0 && (
        <p className="faint">{run.hidden_steps.toLocaleString("en")} more steps are not listed.</p>
      )}
    </section>
  );
}

interface RowProps {
  step: AppStep;
  bar: Bar | null;
  isDisabled: boolean;
  onRerun(): void;
}

function StepRow({ step, bar, isDisabled, onRerun }: RowProps) {
  const tone = step.is_reused ? "plain" : statusTone(step.status);
  const title = safeText(step.title).text;
  return (
    <li className={`run-step run-step--${tone}`} data-status={step.status}>
      <span className="run-step__mark" aria-hidden="true">
        {MARKS[step.status] ?? "·"}
      </span>
      <bdi className="run-step__title" title={title}>
        {title}
      </bdi>
      <svg className="run-step__bars" aria-hidden="true">
        {bar && (
          <rect
            className="run-step__bar"
            x={`${bar.left}%`}
            y="5"
            width={`${bar.width}%`}
            height="10"
            rx="3"
          />
        )}
      </svg>
      <span className="run-step__took">{tookText(step)}</span>
      {step.can_rerun ? (
        <IconButton
          label={`Re-run from ${title}`}
          icon="again"
          className="run-step__again"
          disabled={isDisabled}
          onClick={onRerun}
        />
      ) : (
        <span />
      )}
      {step.error?.message && (
        <p className="run-step__error">
          <Untrusted {...safeText(step.error.message)} />
        </p>
      )}
    </li>
  );
}

const MARKS: Readonly<Record<string, string>> = {
  success: "✓",
  failed: "✕",
  running: "●",
  retrying: "↻",
  waiting: "…",
  uncertain: "?",
  skipped: "–",
  cancelled: "–",
};

function tookText(step: AppStep): string {
  const attempts = (step.attempt ?? 1) > 1 ? ` · attempt ${step.attempt}` : "";
  if (step.is_reused) return "reused";
  const hasTime = step.status === "success" || step.status === "failed";
  const words = step.status === "success" ? "" : `${step.status} `;
  return hasTime ? `${words}${formatDuration(step.took_ms ?? 0)}${attempts}` : `${step.status}${attempts}`;
}
