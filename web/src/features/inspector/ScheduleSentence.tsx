/** A schedule as a sentence: how often, on which days, at what time. */

import type { Schedule } from "../../model/form/schedule";
import {
  DAYS,
  HOUR_STEPS,
  MINUTE_STEPS,
  WEEKDAYS,
  parseSchedule,
  parseTime,
  printSchedule,
  scheduleSentence,
  timeText,
} from "../../model/form/schedule";
import { Field } from "../../ui/Field";
import type { BuilderProps } from "./builderKind";

const FIRST: Schedule = { kind: "days", days: WEEKDAYS, hour: 9, minute: 0 };
const KINDS: readonly { kind: Schedule["kind"]; title: string; first: Schedule }[] = [
  { kind: "days", title: "On days of the week", first: FIRST },
  { kind: "month", title: "On a day of the month", first: { kind: "month", day: 1, hour: 9, minute: 0 } },
  { kind: "hours", title: "Every few hours", first: { kind: "hours", every: 1, minute: 0 } },
  { kind: "minutes", title: "Every few minutes", first: { kind: "minutes", every: 15 } },
];

export function ScheduleSentence({ label, field, describedBy }: BuilderProps) {
  const schedule = typeof field.value === "string" ? parseSchedule(field.value) : null;
  const set = (next: Schedule) => field.set(printSchedule(next));
  return (
    <div className="schedule" role="group" aria-label={label} aria-describedby={describedBy}>
      <select
        className="select"
        aria-label={`${label}: how often`}
        value={schedule?.kind ?? ""}
        disabled={field.isReadOnly}
        onChange={(event) => {
          const chosen = KINDS.find(({ kind }) => kind === event.target.value);
          if (chosen) set(chosen.first);
        }}
      >
        {!schedule && <option value="">Choose a schedule</option>}
        {KINDS.map(({ kind, title }) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      {schedule && <Details label={label} schedule={schedule} isReadOnly={field.isReadOnly} onChange={set} />}
      {schedule && (
        <p className="schedule__sentence" role="status">
          {scheduleSentence(schedule)}
        </p>
      )}
    </div>
  );
}

interface DetailsProps {
  label: string;
  schedule: Schedule;
  isReadOnly: boolean;
  onChange(schedule: Schedule): void;
}

function Details({ label, schedule, isReadOnly, onChange }: DetailsProps) {
  switch (schedule.kind) {
    case "minutes":
      return (
        <NumberChoice
          label="Minutes between runs"
          options={MINUTE_STEPS}
          value={schedule.every}
          onChange={(every) => onChange({ ...schedule, every })}
        />
      );
    case "hours":
      return (
        <div className="row">
          <NumberChoice
            label="Hours between runs"
            options={HOUR_STEPS}
            value={schedule.every}
            onChange={(every) => onChange({ ...schedule, every })}
          />
          <NumberChoice
            label="At minute"
            options={MINUTES}
            value={schedule.minute}
            onChange={(minute) => onChange({ ...schedule, minute })}
          />
        </div>
      );
    case "month":
      return (
        <div className="row">
          <NumberChoice
            label="Day of the month"
            options={DATES}
            value={schedule.day}
            onChange={(day) => onChange({ ...schedule, day })}
          />
          <TimeField schedule={schedule} onChange={onChange} />
        </div>
      );
    case "days":
      return (
        <>
          <div className="schedule__days" role="group" aria-label={`${label}: days`}>
            {DAYS.map(({ day, title, short }) => (
              <button
                key={day}
                type="button"
                className="param__tool"
                aria-label={title}
                aria-pressed={schedule.days.includes(day)}
                disabled={isReadOnly}
                onClick={() => onChange({ ...schedule, days: toggled(schedule.days, day) })}
              >
                {short}
              </button>
            ))}
          </div>
          <TimeField schedule={schedule} onChange={onChange} />
        </>
      );
  }
}

const MINUTES: readonly number[] = Array.from({ length: 60 }, (_, minute) => minute);
const DATES: readonly number[] = Array.from({ length: 31 }, (_, at) => at + 1);

/** The last day stays: a schedule without days never runs. */
function toggled(days: readonly number[], day: number): number[] {
  const next = days.includes(day) ? days.filter((one) => one !== day) : [...days, day];
  return (next.length > 0 ? next : [...days]).toSorted((a, b) => a - b);
}

function NumberChoice({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly number[];
  value: number;
  onChange(value: number): void;
}) {
  return (
    <Field label={label}>
      {(id, _, aria) => (
        <select
          id={id}
          {...aria}
          className="select"
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        >
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

function TimeField<Timed extends Schedule & { hour: number; minute: number }>({
  schedule,
  onChange,
}: {
  schedule: Timed;
  onChange(schedule: Timed): void;
}) {
  return (
    <Field label="Time">
      {(id, _, aria) => (
        <input
          id={id}
          {...aria}
          type="time"
          className="input"
          value={timeText(schedule)}
          onChange={(event) => {
            const time = parseTime(event.target.value);
            if (time) onChange({ ...schedule, ...time });
          }}
        />
      )}
    </Field>
  );
}
