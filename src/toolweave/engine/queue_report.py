"""Runs that wait for a queue which no worker serves."""

from dataclasses import dataclass

from toolweave.clock import Clock
from toolweave.engine.heartbeats import served_queues
from toolweave.engine.queue_notice import queue_notice
from toolweave.engine.run_table import RunRecord
from toolweave.storage.database import Database

_WAITING = (
    "SELECT queue, count(*) FROM runs WHERE status = 'running' AND queue IS NOT NULL "
    "GROUP BY queue ORDER BY queue"
)


@dataclass(frozen=True, slots=True)
class UnservedQueue:
    """A queue without a worker, and how many runs wait for one."""

    name: str
    runs: int


async def unserved_queues(database: Database, clock: Clock) -> list[UnservedQueue]:
    """Return the queues that runs wait for and no process serves."""
    rows = await database.rows(_WAITING)
    served = await served_queues(database, clock) if rows else set[str]()
    return [UnservedQueue(name, count) for name, count in rows if name not in served]


async def run_notice(database: Database, clock: Clock, run: RunRecord) -> str | None:
    """Return what a run waits for, if no worker serves its queue."""
    if run.queue is None or run.status != "running":
        return None
    served = await served_queues(database, clock)
    return None if run.queue in served else queue_notice(run.queue, is_served=False)
