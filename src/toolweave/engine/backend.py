"""Run backends: who drives runs, and where.

The journal decides what a run does next; a backend decides which process does it, and when. Each
backend is one module of `backends`.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from toolweave.clock import Clock
from toolweave.engine.events import Finished, RunStatus
from toolweave.engine.journal import Journal
from toolweave.engine.run_table import RunRecord


@dataclass(frozen=True, slots=True)
class AdvanceResult:
    """How far a run came when it stopped executing: it finished, or waits, or was put down."""

    status: RunStatus
    # Seconds until it is due: a duration, because another process has another clock. None if only
    # an outside event continues it.
    wait_s: float | None = None
    finished: Finished | None = None
    # The queue whose workers continue it, if it was put down for them.
    queue: str | None = None


@dataclass(frozen=True, slots=True)
class TriggerSchedule:
    """When a trigger is to be fired: a cron expression of five fields in a time zone."""

    id: str
    expression: str
    timezone: str
    is_paused: bool


# Starts what is due of a trigger, by its id, at the time that a schedule says.
FireTrigger = Callable[[str, datetime | None], Awaitable[None]]


class TriggerSchedules(Protocol):
    """The schedules that a backend keeps, so that they are fired on any of its workers."""

    on_due: FireTrigger | None
    check_every_s: float

    async def apply(self, wanted: Collection[TriggerSchedule]) -> None:
        """Create, change and remove schedules until they are as wanted."""
        ...


class RunDriver(Protocol):
    """What a backend needs of the engine."""

    @property
    def journal(self) -> Journal: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def drain_s(self) -> float: ...

    @property
    def queues(self) -> frozenset[str]:
        """The queues whose steps this process executes."""
        ...

    @property
    def advancing(self) -> Collection[str]:
        """The runs that this process executes."""
        ...

    def check_journal(self, run: str) -> None:
        """Let a run that executes here read the events that others wrote."""
        ...

    async def continue_run(self, run: str) -> AdvanceResult:
        """Execute a run here until it finishes or waits, or join its execution."""
        ...

    async def get(self, run: str) -> RunRecord:
        """Return a run as stored. Raises `RUN_UNKNOWN`."""
        ...

    async def cancel(self, run: str, *, by: str | None = None) -> None:
        """Record that a run is cancelled, and signal it."""
        ...

    async def drain(self) -> None:
        """Begin no step any more, let the running ones finish, and release their runs."""
        ...


class RunBackend(Protocol):
    """Drives the runs of one engine."""

    # Whether a caller executes a run in its own process; else workers of the backend do.
    executes_here: bool

    @property
    def schedules(self) -> TriggerSchedules | None:
        """The schedules that it keeps while it runs; none if a service polls them."""
        ...

    @property
    def begins_here(self) -> bool:
        """Whether a run that this process creates begins in it at once."""
        ...

    def running(self, *, drives_runs: bool) -> AbstractAsyncContextManager[None]:
        """Pass runs on while this is entered; with `drives_runs`, also execute them here."""
        ...

    async def enqueue(self, run: str) -> None:
        """Begin a new run."""
        ...

    def wake_at(self, run: str, time: datetime | None) -> None:
        """Note that a run stopped executing here, and when it is due, if it is."""
        ...

    async def signal(self, run: str) -> None:
        """Continue a run: an event from outside is in its journal."""
        ...

    async def cancel(self, run: str) -> None:
        """End a run whose cancellation is in its journal."""
        ...

    def check_due(self) -> None:
        """Look for due runs: other processes wrote to some."""
        ...

    async def workers(self) -> Sequence[str]:
        """Return the other processes that drive runs now."""
        ...


OpenBackend = Callable[[RunDriver], RunBackend]


@dataclass(frozen=True, slots=True)
class ChosenBackend:
    """A backend as an address names it."""

    open: OpenBackend
    # How long a lease lasts without a write.
    lease_s: float
    # Whether its workers are on several machines, so that they need a database server.
    is_shared: bool = False
