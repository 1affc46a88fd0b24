"""Which runs can continue now, when the next one can, and which are backed off after a failure.

A poll reads only due runs, by index and a limited number at a time.
"""

import logging
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.engine.compatibility import VERSION
from toolweave.engine.lease_watch import HeldRun, LeaseWatch
from toolweave.errors import ToolweaveError
from toolweave.settings import DEFAULT_QUEUE
from toolweave.storage.database import Database

logger = logging.getLogger(__name__)

# The maximum number of runs of one poll; the next poll finds the rest.
BATCH = 200
# How many a process takes at once at first, then as many as it can: others want some too.
AT_ONCE, AT_LEAST = 32, 4
# How often to poll for runs whose holder died.
LOOK_EVERY_S = 5.0
# How soon to poll again while there are more runs than it took.
BUSY_S = 0.05
# How long a run, or polling itself, is backed off after a failure; doubled each time.
BACKOFF_S = 0.25
MAX_BACKOFF_S = 60.0
MAX_PAUSED = 10_000

# Runs that wait for a worker of another queue are not for this process.
_HERE = "(queue IS NULL OR queue IN ({queues}))"
_HELD = (
    "SELECT id, holder, held_until FROM runs WHERE status = 'running' AND held_until IS NOT NULL "
    f"AND compatible_from <= ? AND {_HERE}"
)
_FREE = (
    "SELECT id, holder, held_until FROM runs WHERE status = 'running' AND held_until IS NULL "
    f"AND compatible_from <= ? AND {_HERE} ORDER BY started_at LIMIT ?"
)
# By wake-up time alone, which finished runs do not have: other indexes hold all waiting runs.
_DUE = (
    "SELECT id, holder, held_until FROM runs WHERE wake_at <= ? AND status <> 'running' "
    "AND compatible_from <= ? ORDER BY wake_at LIMIT ?"
)
DUE = (
    f"SELECT * FROM ({_HELD}) AS held UNION ALL SELECT * FROM ({_FREE}) AS free "
    f"UNION ALL SELECT * FROM ({_DUE}) AS due"
)
NEXT = "SELECT wake_at FROM runs WHERE wake_at > ? ORDER BY wake_at LIMIT 1"


async def due_runs(
    database: Database,
    now: datetime,
    leases: LeaseWatch,
    limit: int = BATCH,
    *,
    version: int = VERSION,
    queues: Collection[str] = (DEFAULT_QUEUE,),
) -> list[str]:
    """Return the runs that are due, or interrupted and leased by no other process.

    Not those that wait for a worker of a queue which is not among `queues`.
    """
    query = DUE.format(queues=", ".join("?" * len(queues)))
    here = (version, *queues)
    values = (*here, *here, limit, timestamp(now), version, limit)
    rows = await database.rows(query, *values)
    return leases.free_runs(HeldRun(*row) for row in rows)


async def until_next(database: Database, now: datetime) -> float:
    """Return the seconds until something becomes due, or until the next poll."""
    row = await database.row(NEXT, timestamp(now))
    if row is None:
        return LOOK_EVERY_S
    try:
        ahead = (datetime.fromisoformat(row[0]) - now).total_seconds()
    except (ValueError, TypeError):  # a damaged row; the others are due all the same
        return LOOK_EVERY_S
    return min(max(ahead, 0.01), LOOK_EVERY_S)


@dataclass(frozen=True, slots=True)
class _Backoff:
    until: float
    length_s: float


@dataclass(eq=False)
class RetryBackoff:
    """Runs that failed to continue, backed off so that they are not retried at once."""

    _paused: dict[str, _Backoff] = field(default_factory=dict[str, _Backoff])

    def begin(self, run: str, now: float) -> None:
        """Back off after a failure, longer each time."""
        before = self._paused.pop(run, None)
        length_s = min(before.length_s * 2 if before else BACKOFF_S, MAX_BACKOFF_S)
        self._paused[run] = _Backoff(now + length_s, length_s)
        if len(self._paused) > MAX_PAUSED:
            del self._paused[next(iter(self._paused))]

    def end(self, run: str) -> None:
        """Reset after a success."""
        self._paused.pop(run, None)

    def is_paused(self, run: str, now: float) -> bool:
        """Whether it is backed off."""
        rest = self._paused.get(run)
        return rest is not None and rest.until > now

    def __len__(self) -> int:
        return len(self._paused)

    def left(self, now: float) -> float:
        """Return the seconds until the next one may be retried."""
        ahead = (rest.until - now for rest in self._paused.values() if rest.until > now)
        return min(ahead, default=LOOK_EVERY_S)


class WakeupSchedule:
    """Chooses which runs a process takes next, and when it polls again."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        leases: LeaseWatch,
        version: int = VERSION,
        *,
        queues: Collection[str] = (DEFAULT_QUEUE,),
    ) -> None:
        self._version = version
        self._queues = queues
        self.backoff = RetryBackoff()
        # Whether there were more than it took.
        self.has_more = False
        self._database = database
        self._clock = clock
        self._leases = leases
        self._woken = anyio.Event()

    def wake(self) -> None:
        """Poll now: a run may be due, or there is room for more."""
        self._woken.set()

    async def keep(self, busy: Collection[str], wake: Callable[[str], None]) -> None:
        """Wake interrupted and due runs until cancelled."""
        backoff_s = BACKOFF_S
        while True:
            self._woken = anyio.Event()
            found: list[str] = []
            try:
                found, wait_s = await self.poll(self._clock.now(), anyio.current_time(), busy)
                backoff_s = BACKOFF_S
            except ToolweaveError as error:
                logger.warning("cannot look for due runs", extra={"code": error.code})
                wait_s, backoff_s = backoff_s, min(backoff_s * 2, LOOK_EVERY_S)
            for run in found:
                wake(run)
            with anyio.move_on_after(wait_s):
                await self._woken.wait()

    async def poll(
        self, now: datetime, moment: float, busy: Collection[str]
    ) -> tuple[list[str], float]:
        """Return runs to execute beside the active ones, and the time until the next can."""
        # Backed-off ones come first, and must not hide the others.
        limit = BATCH + len(self.backoff)
        found = await due_runs(
            self._database, now, self._leases, limit, version=self._version, queues=self._queues
        )
        able = [run for run in found if run not in busy and not self.backoff.is_paused(run, moment)]
        # In random order, so that processes polling at once do not want the same ones.
        random.shuffle(able)
        room = max(AT_ONCE - len(busy), AT_LEAST)
        self.has_more = len(able) > room
        if self.has_more:
            return able[:room], BUSY_S
        wait_s = min(await until_next(self._database, now), self.backoff.left(moment))
        return able, min(wait_s, self._leases.look_every_s)
