import type { RunStatus, StepStatus } from "../../model/run/runState";
import type { Tone } from "../../ui/Badge";

const TONES: Record<RunStatus | StepStatus, Tone> = {
  running: "busy",
  retrying: "busy",
  success: "good",
  partial: "warn",
  failed: "bad",
  cancelled: "plain",
  waiting: "warn",
  uncertain: "warn",
  skipped: "plain",
};

export function statusTone(status: string): Tone {
  return TONES[status as RunStatus] ?? "plain";
}
