"""Compares the journal with Temporal: finds lost signals, runs that never began, terminated ones.

A run that is due for longer than a lease, and that no worker drives, is signalled or started
again. A workflow that was terminated ends its run as cancelled.
"""

import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import anyio
from temporalio.client import WorkflowExecutionStatus

from toolweave.engine.backend import RunDriver
from toolweave.engine.events import FINAL
from toolweave.engine.temporal.connection import (
    RunWorkflows,
    is_placed,
    queue_of,
    unregistered_activity,
)
from toolweave.engine.wakeups import due_runs
from toolweave.errors import NotFound, ToolweaveError

logger = logging.getLogger(__name__)

# How far back terminated workflows are looked for at first, and with how much overlap afterwards.
FIRST = timedelta(days=1)
OVERLAP = timedelta(minutes=2)


class Reconciler:
    """Checks the runs of a database against Temporal now and then."""

    def __init__(
        self,
        driver: RunDriver,
        workflows: RunWorkflows,
        lease_s: float,
        *,
        others: Callable[[], Awaitable[Sequence[str]]],
    ) -> None:
        self._others = others
        self._driver = driver
        self._workflows = workflows
        self._lease_s = lease_s
        # The runs that are due, with the time at which that was seen first.
        self._due_since: dict[str, float] = {}
        self._since = driver.clock.now() - FIRST

    async def keep(self) -> None:
        """Check until cancelled."""
        while True:
            try:
                await self.check()
            except ToolweaveError as error:
                logger.warning("cannot compare runs with Temporal: %s", error.message)
            await anyio.sleep(self._lease_s / 3)

    async def check(self) -> None:
        """Check once. Raises `BACKEND_UNAVAILABLE`."""
        overdue = await self._overdue()
        # All workers together ask Temporal as often as one alone.
        if random.randrange(1 + len(await self._others())):
            return
        for run in overdue:
            await self._continue(run)
        now = self._driver.clock.now()
        async for run in self._workflows.terminated(self._since):
            await self._end(run)
        self._since = now - OVERLAP

    async def _overdue(self) -> Sequence[str]:
        """Return the runs that should have continued a lease ago."""
        driver, now = self._driver, anyio.current_time()
        # This also observes the leases of other workers (`lease_watch.py`).
        journal, now_here = driver.journal, driver.clock.now()
        due = await due_runs(
            journal.database,
            now_here,
            journal.leases,
            version=journal.version,
            queues=driver.queues,
        )
        self._due_since = {
            run: self._due_since.get(run, now) for run in due if run not in driver.advancing
        }
        return [run for run, since in self._due_since.items() if now - since >= self._lease_s]

    async def _continue(self, run: str) -> None:
        record = await self._driver.get(run)
        found = await self._workflows.describe(run)
        if found is not None and found.status == WorkflowExecutionStatus.TERMINATED:
            await self._end(run)
            return
        if found is not None and found.status == WorkflowExecutionStatus.RUNNING:
            if (name := unregistered_activity(found)) is not None:
                logger.error(
                    "a worker of another program or version takes runs and refuses them: "
                    "it does not know the activity %r; give this installation another queue",
                    name,
                    extra={"run": run},
                )
            # A worker will take it, unless it is on another queue and an event came from outside.
            if is_placed(found) and not (record.queue is None and await queue_of(found)):
                self._due_since[run] = anyio.current_time()
                return
        await self._workflows.start_or_signal(run, record.workflow)
        del self._due_since[run]

    async def _end(self, run: str) -> None:
        """Cancel a run whose workflow was terminated, unless it has ended."""
        try:
            record = await self._driver.get(run)
        except NotFound:
            return  # a run of another database
        found = await self._workflows.describe(run)
        was_replaced = found is None or found.status != WorkflowExecutionStatus.TERMINATED
        if record.status in FINAL or was_replaced:
            return
        reason = await self._workflows.reason_of_end(run) or "no reason given"
        await self._driver.cancel(run, by=f"Temporal (terminated: {reason})")
