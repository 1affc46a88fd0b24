/** The time of a `datetime-local` field as the service takes it; null while it is incomplete. */
export function timeOf(local: string): string | null {
  const time = Date.parse(local);
  if (Number.isNaN(time)) return null;
  const date = new Date(time);
  // The service has no other years; a field allows six digits, and has them while a year is typed.
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999 ? date.toISOString() : null;
}
