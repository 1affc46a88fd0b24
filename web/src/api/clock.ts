/** The service's time: a step's age is told by its clock, whatever the one of this machine says. */

const TOLERANCE_MS = 2_000;
let offsetMs = 0;

/** Takes the time an answer was sent at; it is told in whole seconds. */
export function updateClock(date: string | null, now = Date.now()): void {
  const serverMs = date ? Date.parse(date) + 500 : NaN;
  if (Number.isNaN(serverMs)) return;
  offsetMs = Math.abs(serverMs - now) < TOLERANCE_MS ? 0 : serverMs - now;
}

export function serviceNow(): number {
  return Date.now() + offsetMs;
}
