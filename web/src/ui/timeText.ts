// Made once: a list of thousands of runs would make one for each row.
const FULL = new Intl.DateTimeFormat([], { dateStyle: "short", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat([], { hour: "numeric", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat([], {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const DATE = new Intl.DateTimeFormat([], { year: "numeric", month: "short", day: "numeric" });

/** A time in a list: the clock today, the day this year, else the whole date. */
export function shortTime(at: string, now: Date = new Date()): string {
  const time = new Date(at);
  const isThisYear = time.getFullYear() === now.getFullYear();
  const isToday = isThisYear && time.getMonth() === now.getMonth() && time.getDate() === now.getDate();
  return (isToday ? CLOCK : isThisYear ? DAY : DATE).format(time);
}

export const fullTime = (at: string): string => FULL.format(new Date(at));
