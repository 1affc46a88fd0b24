"""Limits of a workflow: how many of its runs execute at once, and how many begin per second.

A run that finds no free slot is put down as waiting: it holds no lease and costs nothing. The run
that gives a slot back wakes the one that waits longest; a timer does if its process died. A run
that waits for a person or a time has no slot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from toolweave.clock import Clock
from toolweave.engine.events import FINAL, CancelAsked, SlotAwaited, SlotFreed, Started
from toolweave.engine.journal import Journal, JournalEntry, Lease
from toolweave.engine.journal_rows import JournalChange, written
from toolweave.errors import Conflict
from toolweave.storage.shared_limits import Limit, LimitReached, LimitSlot, SharedLimits
from toolweave.workflow.model import Workflow

# How much later than a dead process loses its slot, the first waiting run looks.
MARGIN_S = 2.0

_QUEUE = (
    "INSERT INTO limit_waiters (run, name, since) VALUES (?, ?, ?) ON CONFLICT (run) DO NOTHING"
)
_LEAVE = "DELETE FROM limit_waiters WHERE run = ?"
_FIRST = "SELECT run FROM limit_waiters WHERE name = ? ORDER BY since, run LIMIT 1"
_AHEAD = "SELECT count(*) FROM limit_waiters WHERE name = ? AND since < ?"


@dataclass(frozen=True, slots=True)
class SlotWait:
    """A run was put down until a slot is free, or until it looks again."""

    wait_s: float
    wake_at: datetime


class RunSlots:
    """The slots of workflows, for the runs of one engine."""

    def __init__(self, journal: Journal, clock: Clock, limits: SharedLimits | None) -> None:
        self._journal = journal
        self._clock = clock
        self._limits = limits

    async def enter(
        self, lease: Lease, workflow: Workflow, entries: Sequence[JournalEntry]
    ) -> LimitSlot | SlotWait | None:
        """Take a slot for a run, or put the run down; nothing if its workflow has no limit."""
        limit, limits = run_limit(workflow), self._limits
        if limits is None or limit is None:
            return None
        events = [entry.event for entry in entries]
        has_waited = any(isinstance(event, SlotAwaited) for event in events)
        if lease.status in FINAL or any(isinstance(event, CancelAsked) for event in events):
            return await self._leave_queue(lease.run) if has_waited else None
        if not all(isinstance(event, Started | SlotAwaited | SlotFreed) for event in events):
            limit = replace(limit, per_second=None)  # it has begun before
            if not limit.is_set:
                return None
        found = await limits.take(limit)
        if isinstance(found, LimitReached):
            # First in the queue, then again: a slot that is given back from now on wakes it.
            queue = self._journal.database
            await queue.execute(_QUEUE, lease.run, limit.name, lease.started_at)
            found = await limits.take(limit)
            if isinstance(found, LimitReached):
                return await self._put_down(lease, limit, entries, found)
            has_waited = True
        if has_waited:
            await self._leave_queue(lease.run)
        return found

    async def leave(self, slot: LimitSlot) -> str | None:
        """Give a slot back; return the run that may continue now, if one waits."""
        assert self._limits is not None
        await self._limits.release(slot)
        if slot.limit.concurrent is None:
            return None  # a timer wakes each run that waits for its turn
        while (run := await self._next(slot.limit.name)) is not None:
            try:
                await self._journal.add(run, SlotFreed())
            except Conflict:
                continue  # it was cancelled
            return run
        return None

    async def _put_down(
        self, lease: Lease, limit: Limit, entries: Sequence[JournalEntry], found: LimitReached
    ) -> SlotWait:
        assert self._limits is not None
        row = await self._journal.database.row(_AHEAD, limit.name, lease.started_at)
        ahead = int(row[0]) if row else 0
        if found.wait_s is None:
            wait_s = self._limits.hold_s + MARGIN_S + ahead
        else:
            wait_s = found.wait_s + ahead * limit.interval_s
        wake_at = self._clock.now() + timedelta(seconds=wait_s)
        waiting = SlotAwaited(limit.name)
        events = () if _is_waiting(entries) else (written(waiting),)
        change = JournalChange("waiting", wake_at, seen=entries[-1].seq)
        await self._journal.append(lease, events, change)
        return SlotWait(wait_s, wake_at)

    async def _next(self, name: str) -> str | None:
        """Remove the first run of a queue, and return it."""
        database = self._journal.database
        if await database.row(_FIRST, name) is None:
            return None
        async with database.transaction() as change:  # of two processes, each gets its own
            row = await change.row(_FIRST, name)
            if row is not None:
                await change.execute(_LEAVE, row[0])
        return None if row is None else str(row[0])

    async def _leave_queue(self, run: str) -> None:
        await self._journal.database.execute(_LEAVE, run)


def run_limit(workflow: Workflow) -> Limit | None:
    """The limit of a workflow's runs, if it has one."""
    given = workflow.extras.get("limits")
    if not isinstance(given, dict):
        return None
    concurrent, per_second = given.get("concurrent"), given.get("per_second")
    limit = Limit(
        f"workflow {workflow.name!r}",
        concurrent if isinstance(concurrent, int) and concurrent > 0 else None,
        float(per_second) if isinstance(per_second, int | float) and per_second > 0 else None,
    )
    return limit if limit.is_set else None


def _is_waiting(entries: Sequence[JournalEntry]) -> bool:
    """Whether the journal says already that the run waits."""
    for entry in reversed(entries):
        if not isinstance(entry.event, SlotFreed):
            return isinstance(entry.event, SlotAwaited)
    return False
