"""Notices that Temporal answers, but no longer knows this process as a poller of its queues.

The SDK can stop polling without an error, for example after Temporal was restarted several times;
runs would wait for ever. Only the service knows who polls. It may not show every poll, because a
queue has several partitions: so tasks must wait, too.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from toolweave.engine.temporal.connection import RPC_TIMEOUT

# How often the service is asked. A poll is renewed after 60 to 70 seconds without a task, and
# after an outage within 12: the SDK waits up to that long before it tries again.
ASK_EVERY_S = 10.0
SILENT_S = 100.0
ABSENT_S = 30.0

WORKFLOWS = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


@dataclass(frozen=True, slots=True)
class PolledQueue:
    """A task queue that this process polls, for one type of tasks."""

    name: str
    type: TaskQueueType.ValueType
    # Whether it takes no task now, because it has as many as it may have.
    is_full: Callable[[], bool] = bool


class PollWatch:
    """Compares the pollers that the service knows with the queues that a worker polls."""

    def __init__(self, client: Client, identity: str, queues: Collection[PolledQueue]) -> None:
        self._client = client
        self._identity = identity
        # When the poll of each queue was seen to be renewed, by our clock and by the service's.
        self._seen = dict[PolledQueue, tuple[float, str]](
            dict.fromkeys(queues, (time.monotonic(), ""))
        )

    async def lost(self) -> str | None:
        """Return a task queue that has tasks, but is not polled although the service answers."""
        for queue, (at, before) in self._seen.items():
            try:
                polled_at, has_tasks = await self._described(queue)
            except RPCError:  # away, or not allowed to ask: that says nothing
                self._seen[queue] = (time.monotonic(), "")
                continue
            silent_s = time.monotonic() - at
            if queue.is_full() or (polled_at and polled_at != before):
                self._seen[queue] = (time.monotonic(), polled_at)
            elif has_tasks and silent_s > (SILENT_S if polled_at else ABSENT_S):
                return queue.name
        return None

    async def _described(self, queue: PolledQueue) -> tuple[str, bool]:
        """Return when this process last polled, if that is known, and whether tasks wait."""
        found = await self._client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=self._client.namespace,
                task_queue=TaskQueue(name=queue.name),
                task_queue_type=queue.type,
                # Of releases before 1.28, only the status counts the tasks.
                include_task_queue_status=True,
                report_stats=True,
            ),
            timeout=RPC_TIMEOUT,
        )
        times = [
            poller.last_access_time.ToJsonString()
            for poller in found.pollers
            if poller.identity == self._identity
        ]
        counts = (
            found.stats.approximate_backlog_count,
            found.task_queue_status.backlog_count_hint,
        )
        return max(times, default=""), any(counts)
