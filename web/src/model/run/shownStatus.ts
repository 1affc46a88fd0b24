/** The status of a run or a step as people see it: a run that failed after some of its steps has failed. */
export function shownStatus(status: string): string {
  return status === "partial" ? "failed" : status;
}
