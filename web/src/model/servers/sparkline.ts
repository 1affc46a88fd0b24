/** A line of how fast a server answered, and the same in words for whoever does not see it. */

export interface Check {
  at: string;
  ok: boolean;
  latencyMs: number | null;
}

export interface Sparkline {
  /** The strokes, one for each stretch without a failure. */
  lines: string[];
  /** Where checks failed, from left to right. */
  failures: number[];
  words: string;
}

const EDGE = 2;

export function sparkline(checks: readonly Check[], width: number, height: number): Sparkline {
  const times = checks.flatMap(({ ok, latencyMs }) => (ok && latencyMs !== null ? [latencyMs] : []));
  const most = Math.max(...times, 1);
  const step = checks.length > 1 ? (width - 2 * EDGE) / (checks.length - 1) : 0;
  const x = (at: number) => round(EDGE + at * step);
  const y = (ms: number) => round(height - EDGE - (ms / most) * (height - 2 * EDGE));
  const lines: string[][] = [[]];
  const failures: number[] = [];
  checks.forEach(({ ok, latencyMs }, at) => {
    if (ok && latencyMs !== null) lines.at(-1)!.push(`${x(at)},${y(latencyMs)}`);
    else {
      failures.push(x(at));
      lines.push([]);
    }
  });
  // A stroke of one point is drawn only where it goes somewhere.
  const strokes = lines.filter((line) => line.length > 0).map((line) => (line.length === 1 ? [line[0], line[0]] : line));
  return { lines: strokes.map((line) => line.join(" ")), failures, words: wordsOf(checks.length, times, failures.length) };
}

function wordsOf(count: number, times: readonly number[], failed: number): string {
  if (count === 0) return "It was not checked yet.";
  const sorted = [...times].sort((one, other) => one - other);
  const said = [`Last ${count === 1 ? "check" : `${count} checks`}`];
  if (sorted.length > 0) {
    const median = sorted[Math.floor(sorted.length / 2)]!;
    const range = sorted.length > 1 ? ` the last time, ${ms(sorted[0]!)} to ${ms(sorted.at(-1)!)}, ${ms(median)} in the middle` : "";
    said.push(`answered in ${ms(times.at(-1)!)}${range}`);
  }
  said.push(failed === 0 ? "none failed" : `${failed} failed`);
  return `${said.join("; ")}.`;
}

export function ms(value: number): string {
  return value < 10 ? `${Math.round(value * 10) / 10} ms` : `${Math.round(value)} ms`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
