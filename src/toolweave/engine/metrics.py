"""Metrics of the engine in Prometheus format: runs by status, waiting steps, step durations."""

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime

from toolweave.clock import timestamp
from toolweave.storage.database import Database

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


@dataclass(eq=False)
class Meter:
    """Measurements of this process's own steps."""

    _counts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    _sum_s: dict[str, float] = field(default_factory=dict[str, float])

    def observe(self, kind: str, took_s: float) -> None:
        """Record one attempt of a step of a kind."""
        counts = self._counts.setdefault(kind, [0] * (len(BUCKETS_S) + 1))
        counts[bisect_left(BUCKETS_S, took_s)] += 1
        self._sum_s[kind] = self._sum_s.get(kind, 0.0) + took_s

    def lines(self) -> list[str]:
        """Yield the histogram of all kinds."""
        name = "toolweave_step_seconds"
        shown = [f"# HELP {name} How long attempts of steps took.", f"# TYPE {name} histogram"]
        for kind, counts in sorted(self._counts.items()):
            label = _quoted(kind)
            total = 0
            for limit, count in zip((*BUCKETS_S, "+Inf"), counts, strict=True):
                total += count
                shown.append(f'{name}_bucket{{kind={label},le="{limit}"}} {total}')
            shown.append(f"{name}_sum{{kind={label}}} {self._sum_s[kind]:.6f}")
            shown.append(f"{name}_count{{kind={label}}} {total}")
        return shown


async def metrics(database: Database, meter: Meter, now: datetime) -> str:
    """Return all metrics as text."""
    by_status = await database.rows("SELECT status, count(*) FROM runs GROUP BY status")
    waiting = await database.row(
        "SELECT min(changed_at) FROM runs WHERE status IN ('waiting', 'uncertain')"
    )
    queued = await database.row(
        "SELECT count(*) FROM runs WHERE status = 'running' "
        "AND (held_until IS NULL OR held_until < ?)",
        timestamp(now),
    )
    lines = ["# HELP toolweave_runs Runs by status.", "# TYPE toolweave_runs gauge"]
    lines += [f"toolweave_runs{{status={_quoted(status)}}} {count}" for status, count in by_status]
    oldest_s = 0.0
    if waiting and waiting[0]:
        oldest_s = max((now - datetime.fromisoformat(waiting[0])).total_seconds(), 0.0)
    lines += [
        "# HELP toolweave_oldest_waiting_seconds How long the oldest waiting run has waited.",
        "# TYPE toolweave_oldest_waiting_seconds gauge",
        f"toolweave_oldest_waiting_seconds {oldest_s:.3f}",
        "# HELP toolweave_queue_depth Runs that could continue and that no process owns.",
        "# TYPE toolweave_queue_depth gauge",
        f"toolweave_queue_depth {queued[0] if queued else 0}",
    ]
    return "\n".join([*lines, *meter.lines()]) + "\n"


def _quoted(text: object) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
