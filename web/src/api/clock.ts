/** The service's time: a step's age is told by its clock, whatever the one of this machine says. */

const SAME_MS = 2_000;
let ahead = 0;

/** Takes the time an answer was sent at; it is told in whole seconds. */
export function hearTime(date: string | null, now = Date.now()): void {
  const told = date ? Date.parse(date) + 500 : NaN;
  if (Number.isNaN(told)) return;
  ahead = Math.abs(told - now) < SAME_MS ? 0 : told - now;
}

export function serviceNow(): number {
  return Date.now() + ahead;
}
