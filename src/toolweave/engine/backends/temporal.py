"""Drives runs by Temporal, which owns placement, dead workers and timers; for a fleet.

Every process with this backend may start and signal runs; `serve` and `worker` also execute them.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import anyio
from anyio.from_thread import BlockingPortal

from toolweave.engine.backend import AdvanceResult, ChosenBackend, RunDriver
from toolweave.engine.heartbeats import Heartbeats
from toolweave.engine.temporal.address import TemporalAddress, parse_address
from toolweave.engine.temporal.connection import RunWorkflows, connect
from toolweave.engine.temporal.reconciler import Reconciler
from toolweave.engine.temporal.schedules import TemporalSchedules
from toolweave.engine.temporal.worker import ELSEWHERE, TemporalWorker
from toolweave.errors import Conflict, Unavailable
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

# How often a worker looks whether a run that another process holds is free.
LOOK_EVERY_S = 0.5


class TemporalBackend:
    """Starts and signals one Temporal workflow per run, and executes runs for them."""

    executes_here = False
    begins_here = False

    def __init__(self, driver: RunDriver, address: TemporalAddress, api_key: str | None) -> None:
        journal = driver.journal
        self._driver = driver
        self._address = address
        self._api_key = api_key
        self._workflows: RunWorkflows | None = None
        self.schedules: TemporalSchedules | None = None
        self._heartbeats = Heartbeats(
            journal.database, driver.clock, journal.holder, journal.version, queues=driver.queues
        )

    @asynccontextmanager
    async def running(self, *, drives_runs: bool) -> AsyncGenerator[None]:
        """Start and signal runs; with `drives_runs`, also execute them."""
        client = await connect(self._address, self._api_key, lazy=True)
        self._workflows = RunWorkflows(client, self._address)
        self.schedules = TemporalSchedules(client, self._address)
        if drives_runs:
            async with self._heartbeats.here(), self._working(self._workflows):
                with self._driver.journal.notifications.listening():
                    yield
        else:
            yield

    @asynccontextmanager
    async def _working(self, workflows: RunWorkflows) -> AsyncGenerator[None]:
        reconciler = Reconciler(
            self._driver, workflows, self._address.lease_s, others=self._heartbeats.others
        )
        async with BlockingPortal() as portal, background() as tasks:
            worker = TemporalWorker(
                self._address,
                self._api_key,
                portal,
                execute=self._execute,
                cancel=self._cancelled,
                fire=self._fire,
                drain_s=self._driver.drain_s,
                queues=self._driver.queues,
            )
            ended = anyio.Event()
            tasks.start_soon(self._poll, worker, ended)
            tasks.start_soon(keep_going, reconciler.keep)
            try:
                yield
            finally:
                worker.stop()  # first: a run that is put down must not come back to this worker
                await self._driver.drain()
                with anyio.CancelScope(shield=True):
                    await portal.stop(cancel_remaining=True)
                    await ended.wait()

    async def _poll(self, worker: TemporalWorker, ended: anyio.Event) -> None:
        try:
            own_thread = anyio.CapacityLimiter(1)
            await anyio.to_thread.run_sync(worker.run, limiter=own_thread)
        finally:
            ended.set()

    async def enqueue(self, run: str) -> None:
        await self.signal(run)

    def wake_at(self, run: str, time: datetime | None) -> None:
        """The workflow of the run has the timer: it gets the time with the result."""

    async def signal(self, run: str) -> None:
        self._driver.check_journal(run)
        assert self._workflows is not None
        record = await self._driver.get(run)
        try:
            await self._workflows.start_or_signal(run, record.workflow)
        except Unavailable as error:
            # The journal has the event: the reconciler of a worker finds the run.
            reason = f"the run continues when Temporal is back: {error.message}"
            logger.warning("cannot signal Temporal; %s", reason, extra={"run": run})

    async def cancel(self, run: str) -> None:
        await self.signal(run)

    def check_due(self) -> None:
        """Nothing: the process that wrote has signalled the run."""

    async def workers(self) -> Sequence[str]:
        return await self._heartbeats.others()

    async def _execute(self, run: str, is_patient: bool) -> AdvanceResult:
        """Execute a run, once no other process holds it: the lease decides, not Temporal."""
        while True:
            try:
                return await self._driver.continue_run(run)
            except Conflict as error:
                if error.code not in ELSEWHERE or not is_patient:
                    raise
            await anyio.sleep(LOOK_EVERY_S)

    async def _fire(self, trigger: str, due_at: str | None) -> None:
        assert self.schedules is not None
        await self.schedules.fire(trigger, due_at)

    async def _cancelled(self, run: str, reason: str) -> None:
        await self._driver.cancel(run, by=f"Temporal ({reason})" if reason else "Temporal")


def choose(address: str, api_key: str | None) -> ChosenBackend:
    """Read the address of Temporal. Raises `SETTING_INVALID`."""
    found = parse_address(address)
    return ChosenBackend(
        lambda driver: TemporalBackend(driver, found, api_key), found.lease_s, is_shared=True
    )
