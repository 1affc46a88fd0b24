"""Retention of finished runs: by age and by number. Waiting and running ones are kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from toolweave.clock import timestamp
from toolweave.engine.called_runs import PREFIX, RUN_CHARS
from toolweave.storage.database import Database, Statement

BATCH = 500
# The result of a called run is kept until its caller has ended.
_IS_FREE = (
    "NOT EXISTS (SELECT 1 FROM runs AS caller WHERE caller.finished_at IS NULL "
    f"AND substr(runs.once_key, 1, {len(PREFIX)}) = '{PREFIX}' "
    f"AND caller.id = substr(runs.once_key, {len(PREFIX) + 1}, {RUN_CHARS}))"
)


@dataclass(frozen=True, slots=True)
class Retention:
    """Maximum age and number; None means unlimited."""

    days: float | None = 30.0
    runs: int | None = 10_000


async def prune(database: Database, retention: Retention, now: datetime) -> int:
    """Delete finished runs beyond the limits, oldest first; return the number."""
    pruned = 0
    while True:
        found = await _beyond(database, retention, now)
        if not found:
            break
        await _delete(database, found)
        pruned += len(found)
    if pruned:
        await database.execute(
            "DELETE FROM documents WHERE hash NOT IN (SELECT document FROM runs)"
        )
        await database.execute(
            "DELETE FROM blobs WHERE hash NOT IN (SELECT blob FROM journal WHERE blob IS NOT NULL)"
        )
        await database.execute("DELETE FROM media WHERE run NOT IN (SELECT id FROM runs)")
    return pruned


async def _beyond(database: Database, retention: Retention, now: datetime) -> list[str]:
    """Return some of the runs that are too old or too many."""
    if retention.days is not None:
        rows = await database.rows(
            f"SELECT id FROM runs WHERE finished_at < ? AND {_IS_FREE} "
            "ORDER BY finished_at LIMIT ?",
            timestamp(now - timedelta(days=retention.days)),
            BATCH,
        )
        if rows:
            return [str(row[0]) for row in rows]
    if retention.runs is not None:
        rows = await database.rows(
            f"SELECT id FROM runs WHERE finished_at IS NOT NULL AND {_IS_FREE} "
            "ORDER BY finished_at DESC, id LIMIT ? OFFSET ?",
            BATCH,
            retention.runs,
        )
        return [str(row[0]) for row in rows]
    return []


async def _delete(database: Database, runs: list[str]) -> None:
    many = tuple((run,) for run in runs)
    await database.at_once(
        [
            Statement("DELETE FROM journal WHERE run = ?", many=many),
            Statement("DELETE FROM questions WHERE run = ?", many=many),
            Statement("DELETE FROM exchanges WHERE run = ?", many=many),
            Statement("DELETE FROM runs WHERE id = ?", many=many),
        ]
    )
