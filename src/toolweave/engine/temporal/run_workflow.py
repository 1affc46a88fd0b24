"""The Temporal workflow of a run: one activity drives the run until it finishes or waits.

It has the id of the run. Temporal chooses the worker and keeps the timers; what the run does is in
its journal. Its code is replayed by Temporal: a change must accept the histories of open workflows.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, CancelledError, is_cancelled_exception

NAME = "toolweave-run"
ADVANCE = "toolweave-advance"
CHECK = "toolweave-check"
CANCEL = "toolweave-cancel"
NEWS = "news"

# The time that steps may take is limited by the engine.
_DRIVE_TIMEOUT = timedelta(days=365)
# Of a worker that died, Temporal knows only that its heartbeats ended: its runs move at once, even
# if others died before. An activity that fails chooses its own delay (`worker.retry_delay`).
_MOVE = RetryPolicy(
    maximum_attempts=0, initial_interval=timedelta(seconds=1), backoff_coefficient=1.0
)
_AGAIN = RetryPolicy(maximum_attempts=0, maximum_interval=timedelta(seconds=5))


@dataclass
class DriveRun:
    """What the workflow is started with."""

    run: str
    # The heartbeat timeout of its activity, in seconds.
    lease_s: float
    # The queue of the next activity; empty for the one that the workflow is on.
    queue: str = ""


@dataclass
class CancelRun:
    """The argument of the activity that cancels a run."""

    run: str
    reason: str


@dataclass
class DrivenRun:
    """What the activity returns: the status of the run, when it is due, and on which queue."""

    status: str
    is_finished: bool
    wait_s: float | None = None
    queue: str = ""
    # Whether another worker executes it.
    is_held: bool = False


@workflow.defn(name=NAME)
class RunWorkflow:
    """Drives one run."""

    def __init__(self) -> None:
        self._has_news = False

    @workflow.signal(name=NEWS)
    def news(self) -> None:
        """An event from outside is in the journal of the run."""
        self._has_news = True

    @workflow.run
    async def run(self, order: DriveRun) -> str:
        """Drive the run to its end and return its status."""
        while True:
            try:
                driven = await self._turn(order)
                # What came from outside is for the default queue, which always has workers.
                order.queue = "" if self._has_news else driven.queue
            except (asyncio.CancelledError, ActivityError) as error:
                if not is_cancelled_exception(error):
                    raise
                # Cancelled in Temporal: the run ends as cancelled, and the next turn waits for it.
                await self._cancel(order)
                order.queue = ""
                continue
            if driven.is_finished:
                if driven.status == "cancelled" and workflow.cancellation_reason() is not None:
                    raise CancelledError("the run is cancelled")
                return driven.status
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(order)

    async def _turn(self, order: DriveRun) -> DrivenRun:
        """Let a worker drive the run, then wait until there is more to do."""
        self._has_news = False
        _show("running", order.queue)
        driven = await (self._on_other_queue(order) if order.queue else self._drive(order, ADVANCE))
        _show(driven.status)
        if not driven.is_finished and driven.status != "running":
            due_s = None if driven.wait_s is None else timedelta(seconds=driven.wait_s)
            with suppress(TimeoutError):
                await workflow.wait_condition(lambda: self._has_news, timeout=due_s)
        return driven

    def _drive(
        self, order: DriveRun, activity: str, queue: str | None = None
    ) -> workflow.ActivityHandle[DrivenRun]:
        cancellation = workflow.ActivityCancellationType
        return workflow.start_activity(
            activity,
            order.run,
            task_queue=queue,
            result_type=DrivenRun,
            start_to_close_timeout=_DRIVE_TIMEOUT,
            heartbeat_timeout=timedelta(seconds=order.lease_s),
            retry_policy=_MOVE,
            # The worker goes on with its step; the next activity joins it or waits for its lease.
            # On another queue, one that no worker has begun is taken back.
            cancellation_type=cancellation.TRY_CANCEL if queue else cancellation.ABANDON,
        )

    async def _on_other_queue(self, order: DriveRun) -> DrivenRun:
        """Let a worker of the queue drive the run; it may take long until there is one.

        Meanwhile a worker of the default queue handles what comes from outside.
        """
        default = workflow.info().task_queue
        driving = self._drive(order, ADVANCE, default.removesuffix("default") + order.queue)
        try:
            while True:
                await workflow.wait_condition(lambda: self._has_news or driving.done())
                if driving.done():
                    return await driving
                self._has_news = False
                driven = await self._drive(order, CHECK)
                stays = driven.is_held or driven.queue == order.queue
                if not stays:
                    driving.cancel()
                    return driven
        except (asyncio.CancelledError, ActivityError):
            driving.cancel()
            raise

    async def _cancel(self, order: DriveRun) -> None:
        """Write the cancellation, and the reason that was given, to the journal of the run."""
        await workflow.execute_activity(
            CANCEL,
            CancelRun(order.run, workflow.cancellation_reason() or ""),
            start_to_close_timeout=timedelta(minutes=1),
            retry_policy=_AGAIN,
        )


def _show(status: str, queue: str = "") -> None:
    """Show the status of the run, and the queue it waits for, in Temporal."""
    if workflow.memo_value("queue", "") != queue:
        workflow.upsert_memo({"status": status, "queue": queue or None})
    elif workflow.memo_value("status", "") != status:
        workflow.upsert_memo({"status": status})
