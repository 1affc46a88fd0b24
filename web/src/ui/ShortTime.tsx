import { fullTime, shortTime } from "./timeText";

/** A time in a list; the whole date is in its tooltip. */
export function ShortTime({ at }: { at: string }) {
  return (
    <time className="short-time" dateTime={at} title={fullTime(at)}>
      {shortTime(at)}
    </time>
  );
}
