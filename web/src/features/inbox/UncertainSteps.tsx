/** Steps that were running when the service stopped: only a person knows whether they finished. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { StepResolution, UncertainStep } from "../../queries/inbox";
import { resolveStep, UNCERTAIN } from "../../queries/inbox";
import { notify, notifyError } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Button } from "../../ui/Button";

const CHOICES: readonly { choice: StepResolution; title: string }[] = [
  { choice: "skip", title: "Go on without its result" },
  { choice: "retry", title: "Do it again" },
  { choice: "fail", title: "Let it fail" },
];

export function UncertainSteps({ steps }: { steps: UncertainStep[] }) {
  const [isSending, setSending] = useState(false);
  const queries = useQueryClient();
  const settle = (step: UncertainStep, choice: StepResolution) => {
    setSending(true);
    resolveStep(step, choice)
      .then(() => notify("The run goes on", { tone: "good" }))
      .catch((error: unknown) => notifyError(error, "Not settled"))
      .finally(() => {
        setSending(false);
        void queries.invalidateQueries({ queryKey: UNCERTAIN });
      });
  };
  return (
    <section className="card question" aria-label="Uncertain steps">
      <h2>Did these happen?</h2>
      <p className="faint">
        The service ended while they ran. Look in the program they act on, then say how the run goes on.
      </p>
      <table className="table" aria-label="Uncertain steps">
        <thead>
          <tr>
            <th>Step</th>
            <th>How to go on</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={`${step.run} ${step.step}`}>
              <td>
                <strong>{safeText(step.step).text}</strong> of{" "}
                <a href={hrefTo("runs", step.run)}>{step.workflow || `run ${step.run.slice(0, 8)}`}</a>
                <div className="faint">began {new Date(step.startedAt).toLocaleString()}</div>
              </td>
              <td>
                <div className="row">
                  {CHOICES.map(({ choice, title }) => (
                    <Button
                      key={choice}
                      disabled={isSending}
                      aria-label={`${title}: ${step.step}`}
                      onClick={() => settle(step, choice)}
                    >
                      {title}
                    </Button>
                  ))}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
