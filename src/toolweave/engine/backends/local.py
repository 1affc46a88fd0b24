"""Drives runs in this process; several processes on one database share them by leases.

For one machine, or a pair for failover. Placement across a fleet is not its job.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import anyio
from anyio.abc import TaskGroup

from toolweave.engine.backend import ChosenBackend, RunDriver
from toolweave.engine.heartbeats import Heartbeats
from toolweave.engine.lease_owner import HOLD_S
from toolweave.engine.wakeups import WakeupSchedule
from toolweave.errors import ToolweaveError
from toolweave.tasks import background, internal_errors, keep_going

logger = logging.getLogger(__name__)

# Failures of other processes are not failures here.
_ELSEWHERE = frozenset({"RUN_HELD", "RUN_TAKEN", "RUN_NEWER"})


class LocalBackend:
    """Executes runs as tasks of this process."""

    executes_here = True
    schedules = None

    def __init__(self, driver: RunDriver) -> None:
        journal = driver.journal
        self._driver = driver
        self._tasks: TaskGroup | None = None
        self._drives_runs = False
        self._wakeups = WakeupSchedule(
            journal.database, driver.clock, journal.leases, journal.version, queues=driver.queues
        )
        self._heartbeats = Heartbeats(
            journal.database, driver.clock, journal.holder, journal.version, queues=driver.queues
        )

    @property
    def begins_here(self) -> bool:
        return self._drives_runs and self._tasks is not None

    @asynccontextmanager
    async def running(self, *, drives_runs: bool) -> AsyncGenerator[None]:
        """Execute runs; with `drives_runs`, also watch for runs that are due."""
        async with background() as tasks:
            self._tasks, self._drives_runs = tasks, drives_runs
            if drives_runs:
                tasks.start_soon(
                    keep_going, self._wakeups.keep, self._driver.advancing, self._start
                )
            try:
                if drives_runs:
                    async with self._heartbeats.here():
                        with self._driver.journal.notifications.listening():
                            yield
                else:
                    yield
            finally:
                self._tasks = None
                await self._driver.drain()

    async def enqueue(self, run: str) -> None:
        if self.begins_here and self._tasks is not None:
            self._tasks.start_soon(self._begin, run)
        else:
            self._driver.journal.notifications.happened(run, is_call=True)

    def wake_at(self, run: str, time: datetime | None) -> None:
        if time is not None or self._wakeups.has_more:  # it may have freed a slot
            self._wakeups.wake()

    async def signal(self, run: str) -> None:
        self._start(run)

    async def cancel(self, run: str) -> None:
        self._driver.check_journal(run)
        await self._advance(run)

    def check_due(self) -> None:
        self._wakeups.wake()

    async def workers(self) -> Sequence[str]:
        return await self._heartbeats.others()

    def _start(self, run: str) -> None:
        self._driver.check_journal(run)
        if self._tasks is not None:
            self._tasks.start_soon(self._advance, run)

    async def _begin(self, run: str) -> None:
        """Execute a new run, unless its caller does."""
        if run not in self._driver.advancing:
            await self._advance(run)

    async def _advance(self, run: str) -> None:
        try:
            with internal_errors(run=run):
                await self._driver.continue_run(run)
            self._wakeups.backoff.end(run)
        except ToolweaveError as error:
            # A run that fails to continue stops no other; its journal has its state.
            self._wakeups.backoff.begin(run, anyio.current_time())
            if error.code not in _ELSEWHERE:
                logger.warning("run stopped", extra={"run": run, "code": error.code})


def choose(_address: str, _api_key: str | None) -> ChosenBackend:
    """It has no options."""
    return ChosenBackend(LocalBackend, HOLD_S)
