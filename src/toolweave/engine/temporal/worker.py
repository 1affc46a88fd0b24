"""Takes runs from a task queue of Temporal, in a thread with an event loop of its own.

So heartbeats are sent while the engine's event loop is busy. Steps are executed by the engine: the
activity asks it for a run and waits. When Temporal gives an activity up, the engine keeps its lease
and finishes the step: an outage of Temporal makes no step uncertain.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack
from datetime import timedelta

import anyio
from anyio.from_thread import BlockingPortal
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from toolweave.engine.backend import AdvanceResult
from toolweave.engine.events import FINAL
from toolweave.engine.temporal.address import TemporalAddress
from toolweave.engine.temporal.connection import connect
from toolweave.engine.temporal.run_workflow import (
    ADVANCE,
    CANCEL,
    CHECK,
    CancelRun,
    DrivenRun,
    RunWorkflow,
)
from toolweave.engine.temporal.schedules import FIRE, ScheduleWorkflow
from toolweave.errors import ToolweaveError
from toolweave.settings import DEFAULT_QUEUE

logger = logging.getLogger(__name__)

# How long to wait before connecting again.
AGAIN_S = 2.0
# How much longer than the engine's drain the worker waits for its activities.
MARGIN_S = 1.0
# The longest delay before an activity that failed is tried again.
LONGEST_RETRY_DELAY_S = 5.0
# Another process executes the run.
ELSEWHERE = frozenset({"RUN_HELD", "RUN_TAKEN"})

# Executes a run; without patience it raises `RUN_HELD` if another process does.
Execute = Callable[[str, bool], Awaitable[AdvanceResult]]
Cancel = Callable[[str, str], Awaitable[None]]
Fire = Callable[[str, str | None], Awaitable[None]]


class TemporalWorker:
    """Polls one task queue for each queue that the process serves."""

    def __init__(
        self,
        address: TemporalAddress,
        api_key: str | None,
        portal: BlockingPortal,
        *,
        execute: Execute,
        cancel: Cancel,
        fire: Fire,
        drain_s: float,
        queues: Collection[str] = (DEFAULT_QUEUE,),
    ) -> None:
        self._queues = queues
        self._address = address
        self._api_key = api_key
        self._portal = portal
        self._execute = execute
        self._cancel = cancel
        self._fire = fire
        self._drain_s = drain_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._is_stopped = False

    def run(self) -> None:
        """Poll until stopped; blocks its thread."""
        anyio.run(self._poll_forever)

    def stop(self) -> None:
        """Take no further run; `run` returns when its activities have ended."""
        self._is_stopped = True
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)

    async def _poll_forever(self) -> None:
        self._stop, self._loop = asyncio.Event(), asyncio.get_running_loop()
        while not self._is_stopped:
            try:
                client = await connect(self._address, self._api_key, lazy=False)
                async with AsyncExitStack() as workers:
                    for queue in self._queues:
                        await workers.enter_async_context(self._worker(client, queue))
                    await self._stop.wait()
            except (ToolweaveError, RuntimeError) as error:  # RuntimeError: polling was refused
                logger.warning("cannot poll Temporal, trying again: %s", error)
                with anyio.move_on_after(AGAIN_S):
                    await self._stop.wait()

    def _worker(self, client: Client, queue: str) -> Worker:
        is_default = queue == DEFAULT_QUEUE
        others = (self.check, self.cancel, self.fire)
        return Worker(
            client,
            task_queue=self._address.task_queue(queue),
            workflows=[RunWorkflow, ScheduleWorkflow] if is_default else [],
            activities=[self.advance, *others] if is_default else [self.advance],
            # Its code is ours, deterministic and tested by replay; the sandbox costs 25 ms a run.
            workflow_runner=UnsandboxedWorkflowRunner(),
            # A cached workflow would wait ten seconds for a worker that died.
            max_cached_workflows=0,
            max_concurrent_activities=self._address.max_runs,
            max_heartbeat_throttle_interval=timedelta(seconds=self._address.lease_s / 3),
            graceful_shutdown_timeout=timedelta(seconds=self._drain_s + MARGIN_S),
        )

    @activity.defn(name=ADVANCE)
    async def advance(self, run: str) -> DrivenRun:
        """Drive a run in the engine until it finishes or waits."""
        return await self._drive(run, is_patient=True)

    @activity.defn(name=CHECK)
    async def check(self, run: str) -> DrivenRun:
        """Drive a run that is placed on another queue, unless a worker of it does."""
        return await self._drive(run, is_patient=False)

    async def _drive(self, run: str, *, is_patient: bool) -> DrivenRun:
        started = self._portal.start_task_soon(self._execute, run, is_patient)
        driving = asyncio.wrap_future(started)
        try:
            await self.wait(driving)
        except asyncio.CancelledError:  # nothing to report: the run goes on
            reason = "Temporal heard nothing of this worker; the run goes on there"
            raise ApplicationError(reason, category=ApplicationErrorCategory.BENIGN) from None
        try:
            found = driving.result()
        except ToolweaveError as error:
            if error.code in ELSEWHERE:
                return DrivenRun("running", is_finished=False, is_held=True)
            # Another worker may have the version that the run needs; this one does not hurry.
            is_newer = error.code == "RUN_NEWER"
            delay_s = self._address.lease_s if is_newer else retry_delay(activity.info().attempt)
            raise ApplicationError(
                error.message,
                type=error.code,
                non_retryable=error.code == "RUN_UNKNOWN",
                next_retry_delay=timedelta(seconds=delay_s),
            ) from None
        return DrivenRun(found.status, found.status in FINAL, found.wait_s, found.queue or "")

    async def wait(self, driving: "asyncio.Future[AdvanceResult]") -> None:
        """Send heartbeats until a run stops executing; not cancelled with the activity."""
        driving.add_done_callback(_ignore_failure)
        while not driving.done():
            await asyncio.wait({driving}, timeout=self._address.lease_s / 3)
            activity.heartbeat()

    @activity.defn(name=CANCEL)
    async def cancel(self, order: CancelRun) -> None:
        """Record that a run was cancelled in Temporal."""
        started = self._portal.start_task_soon(self._cancel, order.run, order.reason)
        await asyncio.wrap_future(started)

    @activity.defn(name=FIRE)
    async def fire(self, trigger: str, due_at: str | None) -> None:
        """Start the runs of a trigger that is due."""
        started = self._portal.start_task_soon(self._fire, trigger, due_at)
        await asyncio.wrap_future(started)


def retry_delay(attempt: int) -> float:
    """Seconds until an activity that failed is tried again: a database may be away for long."""
    return min(2.0 ** min(attempt - 1, 10), LONGEST_RETRY_DELAY_S)


def _ignore_failure(driving: asyncio.Future[AdvanceResult]) -> None:
    """Mark a failure as seen: of an activity that was given up, nobody asks for it."""
    if not driving.cancelled():
        driving.exception()
