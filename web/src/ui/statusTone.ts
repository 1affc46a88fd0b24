import type { Tone } from "./Badge";

const TONES: Readonly<Record<string, Tone>> = {
  running: "busy",
  retrying: "busy",
  success: "good",
  partial: "bad",
  failed: "bad",
  waiting: "warn",
  uncertain: "warn",
};

/** The colour of the status of a run or a step. */
export function statusTone(status: string): Tone {
  return TONES[status] ?? "plain";
}
