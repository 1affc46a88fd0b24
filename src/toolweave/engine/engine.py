"""The engine: creates and drives runs, answers and cancels them, and reads what they did.

Runs are started through `Engine.runs` (`runs.py`).
"""

import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import anyio

from toolweave.catalog.node import RunFacts
from toolweave.clock import Clock, timestamp
from toolweave.engine.answers import Answers
from toolweave.engine.backend import AdvanceResult, OpenBackend
from toolweave.engine.backends.local import LocalBackend
from toolweave.engine.called_runs import (
    BY_CALLER,
    called_runs,
    caller_of,
    is_orphan,
    open_calls,
    place_of,
)
from toolweave.engine.compatibility import QUEUES_SINCE
from toolweave.engine.completion import Completions
from toolweave.engine.context import EngineServices
from toolweave.engine.events import (
    FINAL,
    CancelAsked,
    Choice,
    Event,
    Finished,
    Key,
    RunStatus,
)
from toolweave.engine.executor import RunExecutor
from toolweave.engine.journal import Journal, JournalEntry, Lease
from toolweave.engine.metrics import metrics
from toolweave.engine.plan import Kinds, Plan
from toolweave.engine.queues import NO_QUEUES, ONLY_DEFAULT, Placement
from toolweave.engine.run_creation import NewRun
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_slots import RunSlots, SlotWait
from toolweave.engine.run_table import ALL_RUNS, RunRecord, RunTable
from toolweave.engine.runs import PrepareWorkflow, RunRequest, Runs, WorkflowChecker
from toolweave.engine.spans import run_span, tell_run_span
from toolweave.engine.state import RunState
from toolweave.engine.step_snapshot import MomentFinder, StepSnapshot
from toolweave.engine.wakeups import due_runs
from toolweave.engine.workflow_snapshots import WorkflowSnapshot, WorkflowSnapshots
from toolweave.errors import Conflict, Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json
from toolweave.storage.database import Database
from toolweave.storage.shared_limits import LimitSlot
from toolweave.workflow.studio_data import write_pins

logger = logging.getLogger(__name__)

# How long another process may take to stop the steps of a run that is cancelled.
STOP_S = 3.0


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
        open_backend: OpenBackend = LocalBackend,
        queues: Collection[str] | None = ONLY_DEFAULT,
    ) -> None:
        # Without queues it executes every step.
        self._serves_all = queues is None
        self.queues = ONLY_DEFAULT if queues is None else frozenset(queues)
        self._database = database
        self._rows = RunTable(database)
        self.services = services
        self._advancing: dict[str, bool] = {}
        self._executors: dict[str, RunExecutor] = {}
        self.drain_s = 0.0
        self._is_draining = False
        self._snapshots = WorkflowSnapshots(database, kinds)
        self._completions = Completions()
        self.journal = journal
        self.backend = open_backend(self)
        self._slots = RunSlots(journal, services.clock, services.limits)
        self.runs = Runs(self, self._snapshots, checker, prepare=prepare)
        self._answers = Answers(journal, services.clock, self.plan)
        journal.notifications.on_call = self._called

    @asynccontextmanager
    async def running(
        self, *, drives_runs: bool = False, drain_s: float = 0.0
    ) -> AsyncGenerator[None]:
        """Write the journal and execute runs; with `drives_runs`, also those of other processes.

        At the end, steps have `drain_s` to finish before they are stopped.
        """
        self.drain_s = drain_s
        try:
            async with self.journal.writing(), self.backend.running(drives_runs=drives_runs):
                yield
        finally:
            await self.services.heavy.close()

    async def create_run(
        self, request: RunRequest, snapshot: WorkflowSnapshot, refused: Invalid | None
    ) -> str:
        """Write a new run to the journal; only `Runs.start` calls this.

        A run with refused inputs is created as failed. Where runs are driven in the background,
        this one starts at once.
        """
        run = request.run_id or str(uuid.uuid4())
        begins_here = self.backend.begins_here and refused is None
        holds = begins_here or (request.hold and self.backend.executes_here)
        held = self.journal.held() if holds else None
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
            pins=write_pins(request.pins),
            refused=refused,
            held=held,
            compatible_from=QUEUES_SINCE if snapshot.plan.has_queues else 1,
        )
        entries = self.journal.first_entries(run, new.events())
        rows = [*new.rows(len(entries.events)), *entries.statements(), *new.end()]
        _, made, *_ = await self._database.at_once(rows, shared=True)
        if not made:
            return await self.find(str(request.once_key)) or run
        if held is not None and refused is None:
            self.journal.keep_new_lease(new.lease(), entries)
        if refused is not None:
            self.journal.notifications.happened(run, is_call=False)
        elif begins_here or held is None:
            await self.backend.enqueue(run)
        return run

    async def advance(self, run: str) -> RunStatus:
        """Execute a run in this process until it finishes or waits."""
        return (await self.continue_run(run)).status

    async def continue_run(self, run: str) -> AdvanceResult:
        """Execute a run in this process until it finishes or waits, or join its execution."""
        while run in self._advancing:
            self._advancing[run] = True  # again, for events that arrived meanwhile
            joined = await self._completions.of(run)
            if joined is not None:
                return joined
        if self._is_draining:
            return AdvanceResult("running", 0.0)
        self._advancing[run] = True
        progress: AdvanceResult | None = None
        wake_at: datetime | None = self.clock.now()  # at once, if it fails
        try:
            while self._advancing[run]:
                self._advancing[run] = False
                progress, wake_at = await self._advance_once(run)
            return progress or AdvanceResult("running", 0.0)
        finally:
            del self._advancing[run]
            self._completions.report(run, progress)
            self.backend.wake_at(run, wake_at)

    async def drain(self) -> None:
        """Begin no step any more; wait for the running ones as long as `running` says."""
        if not self.drain_s:
            return
        self._is_draining = True
        with anyio.move_on_after(self.drain_s, shield=True):
            for executor in self._executors.values():
                executor.drain()
            while self._advancing:
                await self._completions.of(next(iter(self._advancing)))

    async def end_of(self, run: str) -> Finished | None:
        """Return how a run ended, if it did. Raises `RUN_UNKNOWN`."""
        if run in self._advancing or self.journal.has_new_lease(run):
            progress = await self._completions.of(run)
            if progress is not None and progress.finished is not None:
                return progress.finished
        last: Event | None = None
        async for entry in self.journal.follow(run):
            last = entry.event
        return last if isinstance(last, Finished) else None

    async def is_served(self) -> bool:
        """Whether another process drives the runs of this database."""
        return bool(await self.backend.workers())

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
        count, if it does not: the step keeps waiting. Raises `STEP_NOT_WAITING`, and
        `STEP_ANSWERED` if an answer of another person came first. The key `call/ask` is of the
        step `ask` in the run that the step `call` called.
        """
        run, key = await place_of(self._database, run, key)
        written = await self._answers.answer(run, key, reply, by=by, via=via)
        if not resume:
            return written.why
        await self.backend.signal(run)
        return await self._answers.judged(run, written)

    async def resolve(
        self, run: str, key: Key, choice: Choice, *, by: str | None = None, resume: bool = True
    ) -> None:
        """Decide about a step with an unknown result; as `answer`. Raises `STEP_NOT_WAITING`."""
        run, key = await place_of(self._database, run, key)
        await self._answers.resolve(run, key, choice, by=by)
        if resume:
            await self.backend.signal(run)

    async def cancel(self, run: str, *, by: str | None = None, resume: bool = True) -> None:
        """Request cancellation; a finished run stays as it is. `resume` as in `answer`."""
        found = await self.get(run)
        if found.status in FINAL:
            return
        try:
            await self.journal.add(run, CancelAsked(by))
        except Conflict:
            return  # it has just ended
        if (calls := self.services.resources.step_calls) is not None:
            calls.end(run)
        for called in await self.called_by(run):
            await self.cancel(called, by=BY_CALLER, resume=resume)
        if found.status == "running" and run not in self._advancing:
            await self._let_holder_stop(run)
        if resume:
            await self.backend.signal(run)

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
        finder = MomentFinder(_facts(found), await self.plan(found.id), key)
        async for entries in self.journal.pages(found.id):
            if (moment := finder.find(entries)) is not None:
                return moment
        if (moment := finder.now()) is None:
            raise NotFound("STEP_UNKNOWN", f"run {found.id!r} has no step {key!r}")
        return moment

    async def get(self, run: str) -> RunRecord:
        """Return one run by its whole id. Raises `RUN_UNKNOWN`."""
        return await self._rows.get(run)

    async def match(self, run: str) -> RunRecord:
        """Return one run by its id or a prefix of it, to read it only. Raises `RUN_UNKNOWN`."""
        return await self._rows.match(run)

    async def newest(
        self,
        *,
        workflow: str | None = None,
        limit: int = 50,
        search: RunSearch = ALL_RUNS,
    ) -> list[RunRecord]:
        """Return the newest runs, by workflow name, status, time or inputs."""
        return await self._rows.newest(workflow=workflow, limit=limit, search=search)

    async def unfinished(self) -> list[str]:
        """Return the runs that can continue now: due, or interrupted and not leased."""
        now, journal = self.services.clock.now(), self.journal
        return await due_runs(
            self._database, now, journal.leases, version=journal.version, queues=self.queues
        )

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
        async for entries in self.journal.pages(run):
            for entry in entries:
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

    async def _advance_once(self, run: str) -> tuple[AdvanceResult, datetime | None]:
        lease, entries = await self.journal.take(run)
        if lease.once_key is not None and await self._cancel_orphan(lease, entries):
            entries += await self.journal.read(run, entries[-1].seq)
        plan = await self._snapshots.plan_of(lease.document)
        slot = await self._slots.enter(lease, plan.workflow, entries)
        if isinstance(slot, SlotWait):
            return AdvanceResult("waiting", slot.wait_s), slot.wake_at
        try:
            return await self._execute(lease, plan, entries)
        finally:
            if slot is not None:
                with anyio.CancelScope(shield=True):
                    await self._leave(slot)

    async def _leave(self, slot: LimitSlot) -> None:
        try:
            following = await self._slots.leave(slot)
            # A command ends soon: the process that waits for the run, or a worker, continues it.
            is_command = self.backend.executes_here and not self.backend.begins_here
            if following is not None and not is_command:
                await self.backend.signal(following)
        except ToolweaveError as error:  # a timer wakes the next run
            logger.warning("cannot pass a slot on", extra={"code": error.code})

    async def _execute(
        self, lease: Lease, plan: Plan, entries: Sequence[JournalEntry]
    ) -> tuple[AdvanceResult, datetime | None]:
        run = lease.run
        facts = RunFacts(run, lease.workflow, datetime.fromisoformat(lease.started_at))
        executor = RunExecutor(
            RunState(plan),
            facts,
            lease,
            journal=self.journal,
            services=self.services,
            placement=await self._placement(plan),
        )
        self._executors[run] = executor
        if self._is_draining:
            executor.drain()
        try:
            with run_span(facts):
                status = await executor.run(entries)
                tell_run_span(executor.finished)
        finally:
            del self._executors[run]
        if status in FINAL:
            await self._after(lease, executor.called)
            return AdvanceResult(status, finished=executor.finished), None
        now = self.clock.now()
        if executor.is_released:
            self.journal.notifications.happened(run, is_call=True)  # another process may take it
            return AdvanceResult(status, 0.0, queue=executor.moves_to), now
        wake_at = executor.wake_at
        wait_s = None if wake_at is None else max(0.0, (wake_at - now).total_seconds())
        return AdvanceResult(status, wait_s), wake_at

    async def _placement(self, plan: Plan) -> Placement | None:
        """Return what this process may begin of a plan; nothing if that is every step."""
        queues, servers = self.services.server_queues, NO_QUEUES
        if plan.servers and queues is not None:
            servers = await queues()
        is_plain = not plan.has_queues and plan.servers.isdisjoint(servers)
        is_all = self._serves_all or (is_plain and self.queues >= ONLY_DEFAULT)
        return None if is_all else Placement(self.queues, servers)

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
            await self.backend.signal(caller[0])
        for one in called:
            await self.backend.cancel(one)

    def check_journal(self, run: str) -> None:
        """Let a run that executes here read the events that others wrote."""
        if run in self._executors:
            self._executors[run].check_journal()

    def _called(self, runs: Collection[str] | None) -> None:
        """Handle writes of other processes to these runs; none means any run."""
        for run in list(self._executors):
            if runs is None or run in runs:
                self.check_journal(run)
        self.backend.check_due()  # a run may be able to continue now

    @property
    def advancing(self) -> Collection[str]:
        """The runs that this process executes."""
        return self._advancing

    @property
    def clock(self) -> Clock:
        """The time of this process."""
        return self.services.clock


def _facts(run: RunRecord) -> RunFacts:
    return RunFacts(run.id, run.workflow, datetime.fromisoformat(run.started_at))
