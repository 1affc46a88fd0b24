/** The response times of a server as a line, and a text alternative for it. */

export interface Check {
  at: string;
  ok: boolean;
  latencyMs: number | null;
}

export interface Sparkline {
  /** The polylines, one for each range without a failed check. */
  lines: string[];
  /** The x positions of failed checks. */
  failures: number[];
  summary: string;
}

const PADDING = 2;

export function sparkline(checks: readonly Check[], width: number, height: number): Sparkline {
  const times = checks.flatMap(({ ok, latencyMs }) => (ok && latencyMs !== null ? [latencyMs] : []));
  const slowest = Math.max(...times, 1);
  const step = checks.length > 1 ? (width - 2 * PADDING) / (checks.length - 1) : 0;
  const x = (at: number) => round(PADDING + at * step);
  const y = (ms: number) => round(height - PADDING - (ms / slowest) * (height - 2 * PADDING));
  const lines: string[][] = [[]];
  const failures: number[] = [];
  checks.forEach(({ ok, latencyMs }, at) => {
    if (ok && latencyMs !== null) lines.at(-1)!.push(`${x(at)},${y(latencyMs)}`);
    else {
      failures.push(x(at));
      lines.push([]);
    }
  });
  return {
    lines: lines.filter((line) => line.length > 0).map((line) => stroke(line, checks.length, width)),
    failures,
    summary: summarize(checks.length, times, failures.length),
  };
}

/** A line through the points; a single one is a dash, and the only check a line across. */
function stroke(points: readonly string[], checks: number, width: number): string {
  if (points.length > 1) return points.join(" ");
  const [x, y] = points[0]!.split(",").map(Number) as [number, number];
  const half = checks === 1 ? width : width / 60;
  const ends = [x - half, x + half].map((end) => Math.min(Math.max(end, PADDING), width - PADDING));
  return ends.map((end) => `${round(end)},${y}`).join(" ");
}

function summarize(count: number, times: readonly number[], failed: number): string {
  if (count === 0) return "Not checked yet.";
  const sorted = [...times].sort((a, b) => a - b);
  const parts = [`Last ${count === 1 ? "check" : `${count} checks`}`];
  if (sorted.length > 0) {
    const median = sorted[Math.floor(sorted.length / 2)]!;
    const range =
      sorted.length > 1
        ? `, ${formatMs(sorted[0]!)} to ${formatMs(sorted.at(-1)!)}, median ${formatMs(median)}`
        : "";
    parts.push(`latest response in ${formatMs(times.at(-1)!)}${range}`);
  }
  parts.push(failed === 0 ? "none failed" : `${failed} failed`);
  return `${parts.join("; ")}.`;
}

export function formatMs(value: number): string {
  return value < 10 ? `${Math.round(value * 10) / 10} ms` : `${Math.round(value)} ms`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
