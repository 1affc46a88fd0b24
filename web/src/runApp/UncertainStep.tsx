/** A step that was running when the service stopped: a person decides how the run continues. */

import type { StepResolution } from "../model/run/stepResolution";
import { RESOLUTIONS } from "../model/run/stepResolution";
import { safeText } from "../model/text/untrusted";
import { Button } from "../ui/Button";

interface Props {
  title: string;
  isDisabled: boolean;
  onChoose(choice: StepResolution): void;
}

export function UncertainStep({ title, isDisabled, onChoose }: Props) {
  const name = safeText(title).text;
  return (
    <section className="run-app__question" aria-label={`Uncertain step ${name}`}>
      <h2>Did “{name}” finish?</h2>
      <p className="faint">
        The service stopped while it ran. Check the system it acts on, then choose how the run continues.
      </p>
      <div className="row">
        {RESOLUTIONS.map(({ choice, title: label }) => (
          <Button key={choice} disabled={isDisabled} onClick={() => onChoose(choice)}>
            {label}
          </Button>
        ))}
      </div>
    </section>
  );
}
