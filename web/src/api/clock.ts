/** The clock of the service, which the age of steps is computed with, even if the local clock is wrong. */

const TOLERANCE_MS = 2_000;
let offsetMs = 0;

/** Takes the `Date` header of a response, which has a resolution of one second. */
export function updateClock(date: string | null, now = Date.now()): void {
  const serverMs = date ? Date.parse(date) + 500 : NaN;
  if (Number.isNaN(serverMs)) return;
  offsetMs = Math.abs(serverMs - now) < TOLERANCE_MS ? 0 : serverMs - now;
}

export function serviceNow(): number {
  return Date.now() + offsetMs;
}
