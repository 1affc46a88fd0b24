"""The run gate: the one way to start a run, and to drive it on behalf of a caller.

REST, commands, MCP, triggers, documents, libraries and sub-workflows hand a `RunRequest` to
`Runs.start`, which checks the workflow, plans it and creates the run. `Runs.run_to_end` drives it.
The engine's own background driver is not here: see `engine.py` and `wakeups.py`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import anyio

from toolweave.catalog.node import CALL_HOLDER, RunFacts
from toolweave.clock import Clock
from toolweave.engine.backend import RunBackend
from toolweave.engine.events import FINAL, CallEnded, RunStatus, StepWaiting
from toolweave.engine.fork import approvals_to_repeat, edits_before, history_before
from toolweave.engine.input_check import input_error
from toolweave.engine.journal import Journal
from toolweave.engine.lease_owner import is_alive
from toolweave.engine.run_creation import Fork
from toolweave.engine.run_table import RunRecord
from toolweave.engine.state import RunState
from toolweave.engine.step_input import Binder
from toolweave.engine.workflow_snapshots import WorkflowSnapshot, WorkflowSnapshots
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_text import Json
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.model import Workflow
from toolweave.workflow.studio_data import PinnedOutput, write_pins

# How long to wait for a notification of another process before looking at the run again.
MISSED_NOTIFICATION_S = 0.5
# How long to let a called run continue before looking at its caller again.
CALLED_RUN_S = 0.1

# Changes the input of the step that a forked run starts at.
InputEdit = Callable[[Json], Json]
# Returns the workflow as it is executed, decided when the run starts.
PrepareWorkflow = Callable[[Workflow], Awaitable[Workflow]]
# Called with a run's id whenever it waits; returns whether a person is being asked for an answer.
OnPause = Callable[[str], Awaitable[bool]]


class WorkflowChecker(Protocol):
    """Decides whether a workflow may run; `authoring` has the real one."""

    async def require_valid(self, loaded: LoadedWorkflow) -> None:
        """Return if the workflow has no errors; else raise `WORKFLOW_INVALID` with every error."""
        ...


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Everything that is needed to start a run."""

    workflow: Workflow
    inputs: Json = None
    trigger: str | None = None
    # A second request with the same key returns the run of the first.
    once_key: str | None = None
    fork: Fork | None = None
    # Record inputs that do not match the workflow's schema as a failed run instead of raising.
    keep_invalid_inputs: bool = False
    # Take the lease at once, so that no other process drives the run before this one does.
    hold: bool = False
    # The document to check, where `workflow` was derived from it: one trigger's part of a
    # workflow, a flow with its templates filled in. Without it `workflow` itself is checked.
    source: LoadedWorkflow | None = None
    # Outputs to use instead of executing their nodes; only runs of the editor have them.
    pins: Mapping[str, PinnedOutput] = field(default_factory=dict[str, PinnedOutput])
    # The id of the run, for replays; otherwise a new one.
    run_id: str | None = None
    # Why a fork ends after its history, without executing anything.
    stopped: Invalid | None = None


class GatedEngine(Protocol):
    """What the gate needs of an engine."""

    @property
    def journal(self) -> Journal: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def backend(self) -> RunBackend: ...
    @property
    def queues(self) -> frozenset[str]: ...

    async def create_run(
        self, request: RunRequest, snapshot: WorkflowSnapshot, refused: Invalid | None
    ) -> str: ...
    async def advance(self, run: str) -> RunStatus: ...
    async def get(self, run: str) -> RunRecord: ...
    async def find(self, once_key: str) -> str | None: ...
    async def state(self, run: str) -> RunState: ...
    async def called_by(self, run: str) -> list[str]: ...
    async def is_served(self) -> bool: ...


class Runs:
    """Starts and drives the runs of one engine."""

    def __init__(
        self,
        engine: GatedEngine,
        snapshots: WorkflowSnapshots,
        checker: WorkflowChecker,
        *,
        prepare: PrepareWorkflow | None = None,
    ) -> None:
        self._engine = engine
        self._snapshots = snapshots
        self._checker = checker
        self._prepare = prepare

    async def start(self, request: RunRequest) -> str:
        """Check and plan a workflow, create its run and return the run's id.

        Raises `Invalid`: `WORKFLOW_INVALID` with every error of the workflow, `NODE_NOT_RUNNABLE`;
        `RUN_INPUT_INVALID` for inputs that do not match its schema.
        """
        workflow, is_fork = request.workflow, request.fork is not None
        try:
            await self.check(request.source or LoadedWorkflow(workflow))
        except Invalid:
            # The run of an earlier request with this key stays what it is.
            found = await self._engine.find(request.once_key) if request.once_key else None
            if found is None:
                raise
            return found
        refused = request.stopped if is_fork else input_error(workflow, request.inputs)
        if refused is not None and not is_fork and not request.keep_invalid_inputs:
            raise refused
        if not is_fork:
            workflow = await self.prepared(workflow)
        return await self._engine.create_run(request, await self._snapshots.take(workflow), refused)

    async def prepared(self, workflow: Workflow) -> Workflow:
        """Return a workflow as a run that starts now executes it."""
        return workflow if self._prepare is None else await self._prepare(workflow)

    async def check(self, loaded: LoadedWorkflow) -> None:
        """Check a workflow as `start` does. Raises `WORKFLOW_INVALID` with every error."""
        await self._checker.require_valid(loaded)

    async def fork(
        self,
        run: str,
        node: str,
        edit: InputEdit | None = None,
        changed: LoadedWorkflow | None = None,
        pins: Mapping[str, PinnedOutput] | None = None,
    ) -> str:
        """Start a run at `node` that takes every earlier step from `run`; see `fork_request`."""
        return await self.start(await self.fork_request(run, node, edit, changed, pins))

    async def fork_request(
        self,
        run: str,
        node: str,
        edit: InputEdit | None = None,
        changed: LoadedWorkflow | None = None,
        pins: Mapping[str, PinnedOutput] | None = None,
    ) -> RunRequest:
        """Return the request for a run at `node` that takes every earlier step from run `run`.

        `edit` changes the input of that node; `changed` replaces the workflow; nodes of `pins`
        have those outputs, not their own. Steps before it
        where a person approved what this changes are not taken over: they ask again.

        Raises `NotFound`: `RUN_UNKNOWN`, `NODE_ID_UNKNOWN`; `Invalid`: `WORKFLOW_INVALID`;
        `Conflict`: `STEP_NOT_REACHED` if the earlier run never reached the node.
        """
        found = await self._engine.get(run)
        state = await self._engine.state(found.id)
        plan = state.plan
        if changed is not None:
            await self.check(changed)  # before planning, so that the problems are those of a check
            plan = (await self._snapshots.take(changed.workflow)).plan
        history_before(state, [node], plan)  # refuses an unknown node first
        edits = edits_before(state, plan, node)
        if edit is not None:
            place = state.places.get(node)
            if place is None:
                message = f"run {found.id!r} never reached node {node!r}"
                raise Conflict("STEP_NOT_REACHED", message)
            facts = RunFacts(found.id, found.workflow, datetime.fromisoformat(found.started_at))
            edits[node] = edit(Binder(state, facts).incoming(place))
        asked = await self._asked(found)
        again = approvals_to_repeat(
            state, node, plan, {**edits, **(write_pins(pins or {}) or {})}, asked
        )
        history = history_before(state, [node, *again], plan, pins)
        fork = Fork(found.id, node, edits or None, history)
        workflow = changed.workflow if changed is not None else plan.workflow
        return RunRequest(workflow, state.inputs, fork=fork, source=changed, pins=pins or {})

    async def _asked(self, run: RunRecord) -> set[str]:
        """The nodes that asked a person in a run, or in one that it was forked from."""
        asked: set[str] = set()
        origin: RunRecord | None = run
        while origin is not None:
            asked |= await self._asked_in(origin.id)
            try:
                origin = await self._engine.get(origin.fork_of) if origin.fork_of else None
            except NotFound:  # removed since; nodes of the usual types are known without it
                origin = None
        return asked

    async def _asked_in(self, run: str) -> set[str]:
        """The nodes that asked a person themselves, or in a run that they called."""
        asked: set[str] = set()
        async for entries in self._engine.journal.pages(run):
            for entry in entries:
                match entry.event:
                    case StepWaiting(key, question=question):
                        has_asked = question is not None
                    case CallEnded(key, called):
                        has_asked = bool(await self._asked_in(called))
                    case _:
                        continue
                if has_asked:
                    asked.add(key.rpartition("/")[2])
        return asked

    async def drive(self, run: str) -> RunStatus:
        """Execute a run here until it finishes or waits; another process may own it already.

        Where a backend places runs on its workers, this only returns the status.
        """
        if not self._engine.backend.executes_here:
            return (await self._engine.get(run)).status
        try:
            return await self._engine.advance(run)
        except Conflict:
            return (await self._engine.get(run)).status

    async def run_to_end(
        self,
        run: str,
        *,
        through_pauses: bool = False,
        on_pause: OnPause | None = None,
        drives: bool = True,
    ) -> RunRecord:
        """Drive a run until it finishes or waits, here or in the process that owns it.

        With `through_pauses`, delays and retries are waited for too: the run then returns only when
        it is finished, or needs an event or a person whom `on_pause` does not ask. Without
        `drives` this only waits, for a caller that may be cancelled: the backend executes the run.
        """
        is_here = drives
        while True:
            if is_here:
                await self.drive(run)
            found = await self._settled(run)
            if found is None:
                # Nobody reported anything: its owner may be gone, or it waits for other workers.
                queue = (await self._engine.get(run)).queue
                is_here = drives and (queue is None or queue in self._engine.queues)
                continue
            is_here = drives
            if found.status in FINAL or not through_pauses:
                return found
            notified = self._engine.journal.notifications.any()
            is_asking = on_pause is not None and await on_pause(run)
            if found.wake_at is not None:
                await self._until_due(found, found.wake_at)
            elif not await self._continue_called(run, drives=drives):
                if not is_asking:
                    return found
                with anyio.move_on_after(MISSED_NOTIFICATION_S):
                    await notified.wait()

    async def settle(self, run: str, wait_s: float) -> RunStatus:
        """Continue a run in the process that serves this database (up to `wait_s`), else here."""
        backend = self._engine.backend
        if not backend.executes_here:
            await backend.signal(run)
        elif not await self._engine.is_served() and not await self._is_called_elsewhere(run):
            for called in await self._engine.called_by(run):
                await self.settle(called, wait_s)  # one of them may have the answer
            try:
                return await self._engine.advance(run)
            except Conflict:
                pass  # another process owns it
        with anyio.move_on_after(wait_s):
            while (found := await self._settled(run)) is None:
                pass
            return found.status
        return (await self._engine.get(run)).status

    async def _is_called_elsewhere(self, run: str) -> bool:
        """Whether a step of the run waits with a call that another process keeps open."""
        state = await self._engine.state(run)
        holders = {_call_holder(one.memory) for one in state.waiting.values()}
        return any(map(is_alive, holders - {self._engine.journal.holder}))

    async def _settled(self, run: str) -> RunRecord | None:
        """The run once nothing is left to do now; nothing if no notification arrived in time."""
        notifications = self._engine.journal.notifications
        while True:
            notified = notifications.of(run)
            found = await self._engine.get(run)
            if found.status in FINAL or (found.status != "running" and not self._is_due(found)):
                return found
            with notifications.listening(), anyio.move_on_after(MISSED_NOTIFICATION_S):
                await notified.wait()
                continue
            return None

    async def _continue_called(self, run: str, *, drives: bool) -> bool:
        """Drive what a run called and waits for; whether anything can continue without a person."""
        for called in await self._engine.called_by(run):
            found = await self._engine.get(called)
            if found.wake_at is not None:
                await self._until_due(found, found.wake_at)
            elif found.status != "running" and not await self._continue_called(
                called, drives=drives
            ):
                continue
            if drives:
                await self.drive(called)
            await anyio.sleep(CALLED_RUN_S)
            return True
        return False

    async def _until_due(self, found: RunRecord, wake_at: str) -> None:
        """Wait for a run's wake-up, an answer or a cancellation."""
        due, notifications = datetime.fromisoformat(wake_at), self._engine.journal.notifications
        while (ahead_s := (due - self._engine.clock.now()).total_seconds()) > 0:
            notified = notifications.of(found.id)
            if (await self._engine.get(found.id)).changed_at != found.changed_at:
                return
            wait_s = min(ahead_s, MISSED_NOTIFICATION_S)
            with notifications.listening(), anyio.move_on_after(wait_s):
                await notified.wait()

    def _is_due(self, found: RunRecord) -> bool:
        now = self._engine.clock.now()
        return found.wake_at is not None and datetime.fromisoformat(found.wake_at) <= now


def _call_holder(memory: Json) -> str | None:
    """The process that keeps a call open, from the memory of a step that waits for its answer."""
    if isinstance(memory, list) and memory:
        memory = memory[-1]  # what an agent does last
    if not isinstance(memory, dict):
        return None
    holder = memory.get(CALL_HOLDER)
    return holder if isinstance(holder, str) else _call_holder(memory.get("kept"))
