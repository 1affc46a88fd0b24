/** Durations of runs and steps, for people. */

export function durationMs(from: string | null, to: string | null): number {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
