"""The engine: creates and drives runs, answers and cancels them, and reads what they did.

Runs are started through `Engine.runs` (`runs.py`).
"""

import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import anyio
from anyio.abc import TaskGroup

from toolweave.catalog.node import RunFacts
from toolweave.clock import timestamp
from toolweave.engine.called_runs import BY_CALLER, called_runs, caller_of, is_orphan, open_calls
from toolweave.engine.completion import Completions
from toolweave.engine.context import EngineServices
from toolweave.engine.events import (
    FINAL,
    Answered,
    CancelAsked,
    Choice,
    Event,
    Finished,
    Key,
    RunStatus,
    UncertainResolved,
)
from toolweave.engine.executor import RunExecutor
from toolweave.engine.heartbeats import Heartbeats
from toolweave.engine.journal import Journal, JournalEntry, Lease
from toolweave.engine.metrics import metrics
from toolweave.engine.plan import Kinds, Plan
from toolweave.engine.run_creation import NewRun
from toolweave.engine.run_table import RunRecord, RunTable
from toolweave.engine.runs import PrepareWorkflow, RunRequest, Runs, WorkflowChecker
from toolweave.engine.spans import run_span
from toolweave.engine.state import RunState
from toolweave.engine.step_snapshot import RunHistory, StepSnapshot
from toolweave.engine.wakeups import WakeupSchedule, due_runs
from toolweave.engine.workflow_snapshots import WorkflowSnapshot, WorkflowSnapshots
from toolweave.errors import Conflict, Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json
from toolweave.storage.database import Database
from toolweave.tasks import background
from toolweave.workflow.question import question_of

logger = logging.getLogger(__name__)

# How long another process may take to stop the steps of a run that is cancelled.
STOP_S = 3.0

# Failures of other processes are not failures here.
_ELSEWHERE = frozenset({"RUN_HELD", "RUN_TAKEN"})


class Engine:
    """All runs of one database."""

    def __init__(
        self,
        database: Database,
        journal: Journal,
        kinds: Kinds,
        *,
        services: EngineServices,
        checker: WorkflowChecker,
        prepare: PrepareWorkflow | None = None,
    ) -> None:
        self._database = database
        self._rows = RunTable(database)
        self.services = services
        self._advancing: dict[str, bool] = {}
        self._executors: dict[str, RunExecutor] = {}
        self._tasks: TaskGroup | None = None
        self._drives_runs = False
        self._wakeups = WakeupSchedule(database, services.clock, journal.leases)
        self._heartbeats = Heartbeats(database, services.clock, journal.holder)
        self._snapshots = WorkflowSnapshots(database, kinds)
        self._completions = Completions()
        self.journal = journal
        self.runs = Runs(self, self._snapshots, checker, prepare=prepare)
        journal.notifications.on_call = self._called

    @asynccontextmanager
    async def running(self, *, drives_runs: bool = False) -> AsyncGenerator[None]:
        """Write the journal and execute runs; with `drives_runs`, also wake waiting runs."""
        async with self.journal.writing(), background() as tasks:
            self._tasks = tasks
            self._drives_runs = drives_runs
            try:
                if drives_runs:
                    tasks.start_soon(self._wakeups.keep, self._advancing, self._wake)
                    async with self._heartbeats.here():
                        with self.journal.notifications.listening():
                            yield
                else:
                    yield
            finally:
                self._tasks = None

    async def create_run(
        self, request: RunRequest, snapshot: WorkflowSnapshot, refused: Invalid | None
    ) -> str:
        """Write a new run to the journal; only `Runs.start` calls this.

        A run with refused inputs is created as failed. Where runs are driven in the background,
        this one starts at once.
        """
        run = str(uuid.uuid4())
        begins_here = self._drives_runs and self._tasks is not None and refused is None
        held = self.journal.held() if request.hold or begins_here else None
        now = timestamp(self.services.clock.now())
        new = NewRun(
            run=run,
            workflow=snapshot.workflow.name,
            document=snapshot.hash,
            text=snapshot.text,
            now=now,
            inputs=request.inputs,
            trigger=request.trigger,
            once_key=request.once_key,
            fork=request.fork,
            refused=refused,
            held=held,
        )
        entries = self.journal.first_entries(run, new.events())
        rows = [*new.rows(len(entries.events)), *entries.statements(), *new.end()]
        _, made, *_ = await self._database.at_once(rows, shared=True)
        if not made:
            return await self.find(str(request.once_key)) or run
        if held is not None and refused is None:
            self.journal.keep_new_lease(new.lease(), entries)
        if begins_here and self._tasks is not None:
            self._tasks.start_soon(self._begin, run)
        elif not request.hold:
            self.journal.notifications.happened(run, is_call=True)
        return run

    async def advance(self, run: str) -> RunStatus:
        """Execute a run in this process until it finishes or waits."""
        if run in self._advancing:
            self._advancing[run] = True  # again, for events that arrived meanwhile
            return "running"
        self._advancing[run] = True
        status: RunStatus = "running"
        finished: Finished | None = None
        try:
            while self._advancing[run]:
                self._advancing[run] = False
                status, finished = await self._advance_once(run)
        finally:
            del self._advancing[run]
            self._completions.report(run, finished)
            if status not in FINAL or self._wakeups.has_more:
                self._wakeups.wake()  # it may have a wake-up time, or have freed a slot
        return status

    async def end_of(self, run: str) -> Finished | None:
        """Return how a run ended, if it did. Raises `RUN_UNKNOWN`."""
        if run in self._advancing or self.journal.has_new_lease(run):
            finished = await self._completions.of(run)
            if finished is not None:
                return finished
        last: Event | None = None
        async for entry in self.journal.follow(run):
            last = entry.event
        return last if isinstance(last, Finished) else None

    async def is_served(self) -> bool:
        """Whether another process drives the runs of this database."""
        return await self._heartbeats.are_there()

    async def answer(
        self,
        run: str,
        key: Key,
        reply: Json,
        *,
        by: str | None = None,
        via: str | None = None,
        resume: bool = True,
    ) -> str | None:
        """Answer a waiting step; without `resume` another process continues the run.

        The caller records who answers and by which channel. Returns why the answer does not
        count, if it does not: the step keeps waiting. Raises `STEP_NOT_WAITING`.
        """
        state = await self.state(run)
        if not state.accepts_answer(key):
            raise _not_waiting(run, key, list(state.waiting))
        at = timestamp(self.services.clock.now())
        await self.journal.add(run, Answered(key, reply, by, via, at))
        if resume:
            self._wake(run)
        waiting = state.waiting.get(key)
        question = question_of(waiting.question) if waiting else None
        return question.not_asked(by) if question else None

    async def resolve(
        self, run: str, key: Key, choice: Choice, *, by: str | None = None, resume: bool = True
    ) -> None:
        """Decide about a step with an unknown result; as `answer`. Raises `STEP_NOT_WAITING`."""
        state = await self.state(run)
        if key not in state.uncertain:
            raise _not_waiting(run, key, sorted(state.uncertain))
        await self.journal.add(run, UncertainResolved(key, choice, by))
        if resume:
            self._wake(run)

    async def cancel(self, run: str, *, by: str | None = None, resume: bool = True) -> None:
        """Request cancellation; a finished run stays as it is. `resume` as in `answer`."""
        found = await self.get(run)
        if found.status in FINAL:
            return
        try:
            await self.journal.add(run, CancelAsked(by))
        except Conflict:
            return  # it has just ended
        for called in await self.called_by(run):
            await self.cancel(called, by=BY_CALLER, resume=resume)
        if found.status == "running" and run not in self._advancing:
            await self._let_holder_stop(run)
        if resume:
            self._wake(run)

    async def called_by(self, run: str) -> list[str]:
        """Return the unfinished runs that steps of a run called."""
        return await called_runs(self._database, run, open_calls(await self.state(run)))

    async def find(self, once_key: str) -> str | None:
        """Return the run started with a key."""
        row = await self._database.row("SELECT id FROM runs WHERE once_key = ?", once_key)
        return str(row[0]) if row else None

    async def moment(self, run: str, key: Key) -> StepSnapshot:
        """Return a step of a run when it was done, or as it is now. Raises `NotFound`."""
        found = await self.get(run)
        entries = await self.journal.read(found.id)
        past = RunHistory(_facts(found), await self.plan(found.id), entries)
        moment = past.moment_of(key)
        if moment is None:
            raise NotFound("STEP_UNKNOWN", f"run {found.id!r} has no step {key!r}")
        return moment

    async def get(self, run: str) -> RunRecord:
        """Return one run by its id or a prefix of it. Raises `RUN_UNKNOWN`."""
        return await self._rows.get(run)

    async def newest(
        self, *, status: str | None = None, workflow: str | None = None, limit: int = 50
    ) -> list[RunRecord]:
        """Return the newest runs, by status or workflow name."""
        return await self._rows.newest(status=status, workflow=workflow, limit=limit)

    async def unfinished(self) -> list[str]:
        """Return the runs that can continue now: due, or interrupted and not leased."""
        return await due_runs(self._database, self.services.clock.now(), self.journal.leases)

    async def metrics(self) -> str:
        """Return the metrics of runs and steps in Prometheus format."""
        return await metrics(self._database, self.services.meter, self.services.clock.now())

    async def plan(self, run: str) -> Plan:
        """Return the plan of a run, for its workflow at the time the run started."""
        row = await self._database.row("SELECT document FROM runs WHERE id = ?", run)
        if row is None:
            raise NotFound("RUN_UNKNOWN", f"there is no run {run!r}")
        return await self._snapshots.plan_of(row[0])

    async def state(self, run: str) -> RunState:
        """Return the state of a run, from its journal."""
        state = RunState(await self.plan(run))
        for entry in await self.journal.read(run):
            state.apply(entry.event)
        return state

    def follow(self, run: str, after: int = 0) -> AsyncIterator[JournalEntry]:
        """Yield the past and new events of a run until it ends."""
        return self.journal.follow(run, after)

    async def _let_holder_stop(self, run: str) -> None:
        """Give the process that holds the lease time to stop its steps cleanly."""
        with anyio.move_on_after(STOP_S):
            async for _ in self.journal.follow(run):
                pass

    async def _advance_once(self, run: str) -> tuple[RunStatus, Finished | None]:
        lease, entries = await self.journal.take(run)
        if lease.once_key is not None and await self._cancel_orphan(lease, entries):
            entries += await self.journal.read(run, entries[-1].seq)
        plan = await self._snapshots.plan_of(lease.document)
        facts = RunFacts(run, lease.workflow, datetime.fromisoformat(lease.started_at))
        executor = RunExecutor(
            RunState(plan), facts, lease, journal=self.journal, services=self.services
        )
        self._executors[run] = executor
        try:
            with run_span(facts):
                status = await executor.run(entries)
        finally:
            del self._executors[run]
        if status in FINAL:
            await self._after(lease, executor.called)
        return status, executor.finished

    async def _cancel_orphan(self, lease: Lease, entries: Sequence[JournalEntry]) -> bool:
        """Cancel a run whose caller has ended, unless that was requested already."""
        if lease.status in FINAL or any(isinstance(one.event, CancelAsked) for one in entries):
            return False
        if not await is_orphan(self._database, lease.once_key):
            return False
        await self.journal.add(lease.run, CancelAsked(BY_CALLER))
        return True

    async def _after(self, lease: Lease, called: list[str]) -> None:
        if (caller := caller_of(lease.once_key)) is not None:
            self._wake(caller[0])
        for one in called:
            if one in self._executors:
                self._executors[one].check_journal()
            await self._advance_quietly(one)

    def _called(self, runs: Collection[str] | None) -> None:
        """Handle writes of other processes to these runs; none means any run."""
        for run, executor in self._executors.items():
            if runs is None or run in runs:
                executor.check_journal()
        self._wakeups.wake()  # a run may be able to continue now

    def _wake(self, run: str) -> None:
        if run in self._executors:
            self._executors[run].check_journal()
        if self._tasks is not None:
            self._tasks.start_soon(self._advance_quietly, run)

    async def _begin(self, run: str) -> None:
        """Execute a new run, unless its caller does."""
        if run not in self._advancing:
            await self._advance_quietly(run)

    async def _advance_quietly(self, run: str) -> None:
        try:
            await self.advance(run)
            self._wakeups.backoff.end(run)
        except ToolweaveError as error:
            # A run that fails to continue stops no other; its journal has its state.
            self._wakeups.backoff.begin(run, anyio.current_time())
            if error.code not in _ELSEWHERE:
                logger.warning("run stopped", extra={"run": run, "code": error.code})


def _facts(run: RunRecord) -> RunFacts:
    return RunFacts(run.id, run.workflow, datetime.fromisoformat(run.started_at))


def _not_waiting(run: str, key: Key, waiting: Sequence[Key]) -> Conflict:
    names = ", ".join(repr(one) for one in waiting[:5])
    return Conflict(
        "STEP_NOT_WAITING",
        f"step {key!r} of run {run!r} is not waiting for that",
        hint=f"waiting steps: {names}" if names else "no step of this run is waiting",
    )
