"""The client of Temporal: starts the workflow of a run, signals it, and describes it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from temporalio.api.enums.v1 import PendingActivityState
from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowHistoryEventFilterType,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.runtime import Runtime, TelemetryConfig
from temporalio.service import RetryConfig, RPCError, RPCStatusCode, TLSConfig

from toolweave.engine.temporal.address import TemporalAddress, invalid_address
from toolweave.engine.temporal.run_workflow import NAME, NEWS, DriveRun
from toolweave.errors import Unavailable

# How long one request to Temporal may take, and how long it is repeated while Temporal is away;
# what is lost is found again by the reconciler.
RPC_TIMEOUT = timedelta(seconds=5)
REPEAT_S = 3


async def connect(address: TemporalAddress, api_key: str | None, *, lazy: bool) -> Client:
    """Return a client; a lazy one connects with its first request.

    Raises `SETTING_INVALID` for a file that cannot be read, and `BACKEND_UNAVAILABLE`.
    """
    files = address.tls_files
    tls = TLSConfig(
        server_root_ca_cert=_read(files.ca),
        client_cert=_read(files.cert),
        client_private_key=_read(files.key),
    )
    with reported(address):
        return await Client.connect(
            address.target,
            namespace=address.namespace,
            api_key=api_key,
            # A key is never sent in plain text.
            tls=tls if address.uses_tls or api_key is not None else False,
            retry_config=RetryConfig(max_elapsed_time_millis=REPEAT_S * 1_000),
            lazy=lazy,
            runtime=_runtime(),
        )


@cache
def _runtime() -> Runtime:
    """One for the process, without a log: its failures are reported by us.

    Its log goes to standard output. Where that is a pipe that nobody reads, the threads of the SDK
    would block in it once it is full, and poll no more.
    """
    return Runtime(telemetry=TelemetryConfig(logging=None))


def _read(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise invalid_address(f"cannot read {str(path)!r}: {error.strerror}") from None


@contextmanager
def reported(address: TemporalAddress) -> Generator[None]:
    """Report failures of requests as `BACKEND_UNAVAILABLE`."""
    try:
        yield
    except (RPCError, RuntimeError) as error:  # RuntimeError: cannot connect
        reason = f"{error.status.name}, {error}" if isinstance(error, RPCError) else str(error)
        raise Unavailable(
            "BACKEND_UNAVAILABLE",
            f"Temporal at {address.target}, namespace {address.namespace!r}: {reason}",
            hint="runs continue when Temporal is back; check the address and key of --backend",
        ) from None


class RunWorkflows:
    """The workflows of runs, as seen by a client. Each request may raise `BACKEND_UNAVAILABLE`."""

    def __init__(self, client: Client, address: TemporalAddress) -> None:
        self._client = client
        self._address = address

    async def start_or_signal(self, run: str, workflow: str) -> None:
        """Signal the workflow of a run; it is started if there is none."""
        with reported(self._address):
            await self._client.start_workflow(
                NAME,
                DriveRun(run, self._address.lease_s),
                id=run,
                task_queue=self._address.task_queue(),
                start_signal=NEWS,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                memo={"workflow": workflow, "status": "running"},
                static_summary=workflow,
                rpc_timeout=RPC_TIMEOUT,
            )

    async def describe(self, run: str) -> WorkflowExecutionDescription | None:
        """Return the newest workflow of a run, if there is one."""
        handle = self._client.get_workflow_handle(run)
        with reported(self._address):
            try:
                return await handle.describe(rpc_timeout=RPC_TIMEOUT)
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    return None
                raise

    async def terminated(self, since: datetime) -> AsyncGenerator[str]:
        """Yield the runs whose workflow was terminated after a time."""
        query = (
            f"WorkflowType = '{NAME}' AND TaskQueue = '{self._address.task_queue()}' "
            f"AND ExecutionStatus = 'Terminated' AND CloseTime > '{since.isoformat()}'"
        )
        with reported(self._address):
            async for found in self._client.list_workflows(query, rpc_timeout=RPC_TIMEOUT):
                yield found.id

    async def reason_of_end(self, run: str) -> str | None:
        """Return why the workflow of a run was terminated."""
        handle = self._client.get_workflow_handle(run)
        events = handle.fetch_history_events(
            event_filter_type=WorkflowHistoryEventFilterType.CLOSE_EVENT, rpc_timeout=RPC_TIMEOUT
        )
        with reported(self._address):
            async for event in events:
                return event.workflow_execution_terminated_event_attributes.reason or None
        return None


def unregistered_activity(found: WorkflowExecutionDescription) -> str | None:
    """Return an activity that a worker of the queue refused because it does not know it."""
    for pending in found.raw_description.pending_activities:
        failure = pending.last_failure
        if failure.application_failure_info.type == "NotFoundError":
            return pending.activity_type.name
    return None


def is_placed(found: WorkflowExecutionDescription) -> bool:
    """Whether an activity of the workflow is queued or executing."""
    waiting = (
        PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
        PendingActivityState.PENDING_ACTIVITY_STATE_STARTED,
    )
    return any(pending.state in waiting for pending in found.raw_description.pending_activities)


async def queue_of(found: WorkflowExecutionDescription) -> str | None:
    """Return the queue that a run waits for, if it is not the default one."""
    queue = (await found.memo()).get("queue")
    return queue if isinstance(queue, str) else None
