import { describe, expect, it } from "vitest";
import type { Schedule } from "./schedule";
import { DAYS, HOUR_STEPS, MINUTE_STEPS, parseSchedule, printSchedule, scheduleSentence } from "./schedule";

function* everySchedule(): Generator<Schedule> {
  for (const every of MINUTE_STEPS) yield { kind: "minutes", every };
  for (const every of HOUR_STEPS) for (const minute of [0, 7, 59]) yield { kind: "hours", every, minute };
  for (let bits = 1; bits < 128; bits += 1) {
    const days = DAYS.map(({ day }) => day).filter((day) => bits & (1 << day));
    yield { kind: "days", days: [...days].sort((a, b) => a - b), hour: bits % 24, minute: bits % 60 };
  }
  for (let day = 1; day <= 31; day += 1) yield { kind: "month", day, hour: 23, minute: 5 };
}

describe("a schedule as a sentence", () => {
  it("is the same after it was written as cron and read again", () => {
    for (const schedule of everySchedule())
      expect(parseSchedule(printSchedule(schedule)), printSchedule(schedule)).toEqual(schedule);
  });

  it.each([
    ["0 9 * * 1-5", "Every weekday at 09:00"],
    ["30 18 * * *", "Every day at 18:30"],
    ["0 0 * * 0", "Every Sunday at 00:00"],
    ["0 0 * * 7", "Every Sunday at 00:00"],
    ["15 8 * * 1,3,5", "Every Monday, Wednesday and Friday at 08:15"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["0 * * * *", "Every hour, on the hour"],
    ["5 */2 * * *", "Every 2 hours, at minute 5"],
    ["0 9 1 * *", "On day 1 of every month at 09:00"],
    ["0 9 31 * *", "On day 31 of every month that has it at 09:00"],
  ])("%s is “%s”", (cron, sentence) => {
    expect(scheduleSentence(parseSchedule(cron)!)).toBe(sentence);
  });

  it.each([
    "*/7 * * * *",
    "*/15 9-17 * * 1-5",
    "0 9 * 1 *",
    "0 9 1 * 1",
    "0 9 * *",
    "",
    "0 24 * * *",
    "0 9 * * MON",
  ])("%s stays an expression", (cron) => {
    expect(parseSchedule(cron)).toBeNull();
  });
});
