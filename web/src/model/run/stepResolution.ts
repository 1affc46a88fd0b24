/** What a person decides about a step that may or may not have happened. */

export type StepResolution = "retry" | "skip" | "fail";

export const RESOLUTIONS: readonly { choice: StepResolution; title: string }[] = [
  { choice: "skip", title: "Continue without its result" },
  { choice: "retry", title: "Run again" },
  { choice: "fail", title: "Mark as failed" },
];
