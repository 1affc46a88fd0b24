/** A run with recorded answers that stopped at a request without one: continue live, or stop there. */

import { useState } from "react";
import type { RunView } from "../../model/run/runState";
import { Button } from "../../ui/Button";
import { stepTitle } from "./Timeline";

const NOT_RECORDED = "RECORDING_NO_MATCH";

interface Props {
  run: RunView;
  titles: ReadonlyMap<string, string>;
  onContinue(node: string): void;
}

export function UnrecordedRequest({ run, titles, onContinue }: Props) {
  const [isStopped, setStopped] = useState(false);
  const at = run.error?.["failedAt"];
  const node = typeof at === "string" ? at : null;
  if (isStopped || node === null || run.error?.["code"] !== NOT_RECORDED) return null;
  return (
    <div className="run-panel__unrecorded" role="alert">
      <span>
        The recorded answers end at <strong>{stepTitle(node, titles)}</strong>. Continue with live requests,
        or stop here?
      </span>
      <Button look="primary" icon="play" onClick={() => onContinue(node)}>
        Continue live
      </Button>
      <Button onClick={() => setStopped(true)}>Stop here</Button>
    </div>
  );
}
