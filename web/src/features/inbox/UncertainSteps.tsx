/** Steps that were running when the service stopped: only a person knows whether they finished. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { StepResolution } from "../../model/run/stepResolution";
import { RESOLUTIONS } from "../../model/run/stepResolution";
import { safeText } from "../../model/text/untrusted";
import type { UncertainStep } from "../../queries/inbox";
import { resolveStep, UNCERTAIN } from "../../queries/inbox";
import { notify, notifyError } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Button } from "../../ui/Button";

export function UncertainSteps({ steps }: { steps: UncertainStep[] }) {
  const [isSending, setSending] = useState(false);
  const queries = useQueryClient();
  const settle = (step: UncertainStep, choice: StepResolution) => {
    setSending(true);
    resolveStep(step, choice)
      .then(() => notify("The run continues", { tone: "good" }))
      .catch((error: unknown) => notifyError(error, "Not resolved"))
      .finally(() => {
        setSending(false);
        void queries.invalidateQueries({ queryKey: UNCERTAIN });
      });
  };
  return (
    <section className="card question" aria-label="Uncertain steps">
      <h2>Interrupted steps: did they finish?</h2>
      <p className="faint">
        The service stopped while they ran. Check the system they act on, then choose how the run continues.
      </p>
      <table className="table" aria-label="Uncertain steps">
        <thead>
          <tr>
            <th>Step</th>
            <th>Action</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={`${step.run} ${step.step}`}>
              <td>
                <strong>{safeText(step.step).text}</strong> of{" "}
                <a href={hrefTo("runs", step.run)}>{step.workflow || `run ${step.run.slice(0, 8)}`}</a>
                <div className="faint">started {new Date(step.startedAt).toLocaleString()}</div>
              </td>
              <td>
                <div className="row">
                  {RESOLUTIONS.map(({ choice, title }) => (
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
