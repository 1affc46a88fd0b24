/** A time in a list: the clock today, the day this year, else the whole date. */
export function shortTime(at: string, now: Date = new Date()): string {
  const time = new Date(at);
  if (time.toDateString() === now.toDateString())
    return time.toLocaleTimeString([], { hour: "numeric", minute: "2-digit", second: "2-digit" });
  const day = { month: "short", day: "numeric" } as const;
  if (time.getFullYear() === now.getFullYear())
    return time.toLocaleString([], { ...day, hour: "numeric", minute: "2-digit" });
  return time.toLocaleDateString([], { ...day, year: "numeric" });
}
