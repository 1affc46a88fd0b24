/** The state of a node in the run on the canvas: a mark on its corner, and how long it took. */

import type { StepStatus } from "../../model/run/runState";
import { formatDuration } from "../../model/run/runState";
import { nodeDurationMs, nodeError, outputItems } from "../../model/run/nodeOutput";
import { countOf } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import { useRunState } from "../../state/editorContext";
import type { IconName } from "../../ui/Icon";
import { Icon } from "../../ui/Icon";

export const STATUS_LABELS: Record<StepStatus, string> = {
  running: "running",
  success: "done",
  failed: "failed",
  retrying: "retrying",
  waiting: "waiting",
  uncertain: "uncertain",
  skipped: "skipped",
  cancelled: "cancelled",
};

const STATUS_ICONS: Record<StepStatus, IconName> = {
  running: "again",
  success: "check",
  failed: "close",
  retrying: "again",
  waiting: "clock",
  uncertain: "help",
  skipped: "minus",
  cancelled: "stop",
};

export function StatusMark({ id, status }: { id: string; status: StepStatus }) {
  const items = useRunState(({ run }) => (status === "success" ? outputItems(run, id) : 0));
  const summary = status === "success" ? `${STATUS_LABELS[status]}, ${countOf(items, "item")}` : null;
  return (
    <span className={`step__status step__status--${status}`} title={summary ?? STATUS_LABELS[status]}>
      <Icon name={STATUS_ICONS[status]} size={12} />
    </span>
  );
}

/** How long the node took; nothing for steps that took no time. */
export function NodeDuration({ id }: { id: string }) {
  const took = useRunState(({ run }) => nodeDurationMs(run, id));
  return took ? <span className="step__took">{formatDuration(took)}</span> : null;
}

/** The first line of the error of a node, in place of its subtitle. */
export function useNodeError(id: string, status: StepStatus | null): string | null {
  const message = useRunState(({ run }) => (status === "failed" ? nodeError(run, id) : null));
  return message === null ? null : safeText(message.split("\n")[0]!.slice(0, 200)).text;
}
