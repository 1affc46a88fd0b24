/** Schedules as sentences: read from and written as cron expressions. */

export type Schedule =
  | { kind: "minutes"; every: number }
  | { kind: "hours"; every: number; minute: number }
  | { kind: "days"; days: readonly number[]; hour: number; minute: number }
  | { kind: "month"; day: number; hour: number; minute: number };

export const WEEKDAYS: readonly number[] = [1, 2, 3, 4, 5];
export const EVERY_DAY: readonly number[] = [0, 1, 2, 3, 4, 5, 6];
/** Monday first, numbered as cron does. */
export const DAYS: readonly { day: number; title: string; short: string }[] = [
  { day: 1, title: "Monday", short: "Mon" },
  { day: 2, title: "Tuesday", short: "Tue" },
  { day: 3, title: "Wednesday", short: "Wed" },
  { day: 4, title: "Thursday", short: "Thu" },
  { day: 5, title: "Friday", short: "Fri" },
  { day: 6, title: "Saturday", short: "Sat" },
  { day: 0, title: "Sunday", short: "Sun" },
];

/** Steps that divide an hour and a day: others would not come at equal distances. */
export const MINUTE_STEPS: readonly number[] = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
export const HOUR_STEPS: readonly number[] = [1, 2, 3, 4, 6, 8, 12];

/** Null if no sentence says the same. */
export function parseSchedule(text: string): Schedule | null {
  const [minutes, hours, day, month, week, ...more] = text.trim().split(/\s+/);
  if (week === undefined || more.length > 0 || month !== "*") return null;
  const everyMinutes = stepOf(minutes!, MINUTE_STEPS);
  if (everyMinutes !== null) {
    return hours === "*" && day === "*" && week === "*" ? { kind: "minutes", every: everyMinutes } : null;
  }
  const minute = numberIn(minutes!, 0, 59);
  if (minute === null) return null;
  const everyHours = stepOf(hours!, HOUR_STEPS);
  if (everyHours !== null)
    return day === "*" && week === "*" ? { kind: "hours", every: everyHours, minute } : null;
  const hour = numberIn(hours!, 0, 23);
  if (hour === null) return null;
  if (day === "*") {
    const days = daysOf(week);
    return days === null ? null : { kind: "days", days, hour, minute };
  }
  const date = numberIn(day!, 1, 31);
  return date !== null && week === "*" ? { kind: "month", day: date, hour, minute } : null;
}

export function printSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case "minutes":
      return `${schedule.every === 1 ? "*" : `*/${schedule.every}`} * * * *`;
    case "hours":
      return `${schedule.minute} ${schedule.every === 1 ? "*" : `*/${schedule.every}`} * * *`;
    case "days":
      return `${schedule.minute} ${schedule.hour} * * ${printDays(schedule.days)}`;
    case "month":
      return `${schedule.minute} ${schedule.hour} ${schedule.day} * *`;
  }
}

/** “Every weekday at 09:00”. */
export function scheduleSentence(schedule: Schedule): string {
  switch (schedule.kind) {
    case "minutes":
      return schedule.every === 1 ? "Every minute" : `Every ${schedule.every} minutes`;
    case "hours": {
      const how = schedule.every === 1 ? "Every hour" : `Every ${schedule.every} hours`;
      return schedule.minute === 0 ? `${how}, on the hour` : `${how}, at minute ${schedule.minute}`;
    }
    case "days":
      return `${daySentence(schedule.days)} at ${timeText(schedule)}`;
    case "month": {
      const when =
        schedule.day > 28 ? `${schedule.day} of every month that has it` : `${schedule.day} of every month`;
      return `On day ${when} at ${timeText(schedule)}`;
    }
  }
}

function daySentence(days: readonly number[]): string {
  if (sameDays(days, EVERY_DAY)) return "Every day";
  if (sameDays(days, WEEKDAYS)) return "Every weekday";
  const titles = DAYS.filter(({ day }) => days.includes(day)).map(({ title }) => title);
  return `Every ${titles.length > 1 ? `${titles.slice(0, -1).join(", ")} and ${titles.at(-1)}` : titles[0]}`;
}

/** `09:00`, as time fields have it. */
export function timeText({ hour, minute }: { hour: number; minute: number }): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

export function parseTime(text: string): { hour: number; minute: number } | null {
  const match = /^(\d\d):(\d\d)/.exec(text);
  return match ? { hour: Number(match[1]), minute: Number(match[2]) } : null;
}

function sameDays(days: readonly number[], others: readonly number[]): boolean {
  return days.length === others.length && others.every((day) => days.includes(day));
}

function printDays(days: readonly number[]): string {
  if (sameDays(days, EVERY_DAY)) return "*";
  if (sameDays(days, WEEKDAYS)) return "1-5";
  return [...days].sort((a, b) => a - b).join(",");
}

function daysOf(text: string): readonly number[] | null {
  if (text === "*") return EVERY_DAY;
  const days = new Set<number>();
  for (const part of text.split(",")) {
    const range = /^(\d)-(\d)$/.exec(part);
    const [from, to] = range ? [Number(range[1]), Number(range[2])] : [Number(part), Number(part)];
    if (!/^\d(-\d)?$/.test(part) || from > 7 || to > 7 || from > to) return null;
    for (let day = from; day <= to; day += 1) days.add(day % 7);
  }
  return [...days].sort((a, b) => a - b);
}

function stepOf(text: string, steps: readonly number[]): number | null {
  if (text === "*") return 1;
  const match = /^\*\/(\d+)$/.exec(text);
  const step = match ? Number(match[1]) : null;
  return step !== null && steps.includes(step) ? step : null;
}

function numberIn(text: string, from: number, to: number): number | null {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return number >= from && number <= to ? number : null;
}
