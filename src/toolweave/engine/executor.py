"""Executes one run until it ends or has to wait: does what `decide` says and records it.

A step's effect begins after its `step_started` is durable, and its result is durable before
anything that depends on it begins. The end of one step and the start of the next share a commit.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from toolweave.catalog.node import RunFacts
from toolweave.clock import timestamp
from toolweave.engine.called_runs import events_at_end
from toolweave.engine.context import EngineServices, StepContext
from toolweave.engine.decide import Decision, NextWork, decide
from toolweave.engine.events import (
    FINAL,
    CancelAsked,
    Event,
    Finished,
    RunStatus,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepQueued,
    StepStarted,
    StepUncertain,
    StepWaiting,
)
from toolweave.engine.frames import StepFrame
from toolweave.engine.heartbeats import served_queues
from toolweave.engine.held_lease import HeldLease
from toolweave.engine.interruptions import interruption_of
from toolweave.engine.journal import Journal, JournalEntry, Lease
from toolweave.engine.journal_rows import JournalChange, Written, written
from toolweave.engine.lone_step import LoneStep
from toolweave.engine.open_questions import OpenQuestions
from toolweave.engine.pure_steps import Computer, bound_input, bounded_end, rows_of
from toolweave.engine.queues import Placement
from toolweave.engine.result_size import MAX_ANSWER_BYTES, ResultSizes
from toolweave.engine.state import RunState
from toolweave.engine.step_attempts import StepAttempts
from toolweave.engine.step_failure import failure_of
from toolweave.engine.step_input import Binder
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.tasks import background

MAX_CONCURRENT = 64
# How long computing may block the event loop, and how often a busy run checks for outside events.
SLICE_S = 0.02
LOOK_EVERY_S = 1.0


class RunExecutor:
    """The execution of one run by one process."""

    def __init__(
        self,
        state: RunState,
        run: RunFacts,
        lease: Lease,
        *,
        journal: Journal,
        services: EngineServices,
        placement: Placement | None = None,
    ) -> None:
        self._state = state
        self._run = run
        self._lease = lease
        self._journal = journal
        self._services = services
        self._placement = placement
        self._binder = Binder(state, run)
        self._open = OpenQuestions()
        self._unwritten: list[Written] = []
        self._seq = 0
        # Whether the database has this status.
        self._is_under_way = lease.is_under_way
        self._held = HeldLease(lease, journal, services.clock)
        # The time of the last write: a silent holder loses the lease.
        self._said = time.monotonic()
        self._sizes = ResultSizes()
        self._attempts = StepAttempts(
            state, run, services, held=self._held, tell=self._tell, sizes=self._sizes
        )
        self._alone = LoneStep(self._drive, self._attempts, tell=self._tell)
        # Steps to begin once their start is written, and the next time something becomes due.
        self._starting: list[tuple[NextWork, StepContext]] = []
        self._wake_at: datetime | None = None
        # Whether an outside event was written since the last decision.
        self._has_news = False
        # Results of steps; None means that an outside event was written.
        self._done: list[Event | None] = []
        self._woken = anyio.Event()
        self._is_draining = False
        # Whether it was released while there was more to do.
        self.is_released = False
        # The last event before this process took the run.
        self._last: Event | None = None
        # The queue that it moves to.
        self.moves_to: str | None = None
        # Called runs to cancel, because this one ended.
        self.called: list[str] = []

    def _replay(self, entries: Sequence[JournalEntry]) -> bool:
        """Replay the earlier events, and handle steps that were interrupted.

        Returns whether the process before this one was cut off, which must be recorded first.
        """
        for entry in entries:
            self._state.apply(entry.event)
            self._seq = entry.seq
        self._last = entries[-1].event if entries else None
        if self._state.finished:
            return False
        self._open.begin(self._state)
        interruption = interruption_of(self._lease, self._state, entries)
        for key in list(self._state.running):
            place = self._state.place(key)
            if self._state.effect_of(place) == "once":
                self._note(StepUncertain(key))
            else:
                del self._state.running[key]
                self._state.make_ready(place)
        if interruption is not None:
            self._note(interruption)
        return interruption is not None

    async def run(self, entries: Sequence[JournalEntry]) -> RunStatus:
        """Continue from the journal until nothing is left to do now.

        Raises `RUN_TAKEN` if another process took the run (its steps are stopped), `Unavailable` if
        the journal cannot be written.
        """
        if self._replay(entries):
            await self._commit(self._decided())
        has_more = not self._state.finished and await self._advance()
        if has_more:
            # A run that only computes needs no tasks; it sees outside events when it writes.
            with self._journal.notifications.listening():
                async with background() as tasks:
                    while has_more:
                        has_more = await self._drive(tasks)
        return "running" if self.is_released else self._state.status

    @property
    def wake_at(self) -> datetime | None:
        """When the run is due, if it waits for a time."""
        return self._wake_at

    @property
    def finished(self) -> Finished | None:
        """How the run ended, if it did."""
        return self._state.finished

    def check_journal(self) -> None:
        """Process an event that another process wrote."""
        self._tell(None)

    def drain(self) -> None:
        """Begin no further step; release the run when the running ones have ended."""
        self._is_draining = True
        self._tell(None)

    def _tell(self, event: Event | None) -> None:
        self._done.append(event)
        self._woken.set()
        self._alone.notice()

    async def _advance(self) -> bool:
        """Do what can be done now; return whether there is more to do."""
        if self._is_draining:
            return await self._release()
        decision = await self._computed()
        while decision.compute:
            for place in decision.compute:
                self._state.hurry(place)
            decision = await self._computed()
        if decision.elsewhere is not None:
            return await self._move(decision.elsewhere)
        self._starting = await self._made_ready(decision)
        if decision.finish is not None:
            lane = self._services.heavy.lane
            await self._sizes.measure_ahead(decision.finish.result, lane, MAX_ANSWER_BYTES)
            finish, is_large = bounded_end(decision.finish, self._sizes)
            rows = await rows_of([finish], lane, is_large=is_large)
            self._apply_written(finish, rows[0])
        self._has_news = False
        await self._commit(decision)
        self._wake_at = decision.wake_at
        if self._state.finished:
            return False
        return self._has_news or bool(self._state.running or decision.work)

    async def _release(self) -> bool:
        """Write what is known, and give up the lease unless steps are still running."""
        self.is_released = not self._state.running
        if self.is_released:
            is_awake = self._is_under_way
            await self._write(JournalChange("running", was_awake=is_awake, is_released=True))
        elif self._unwritten:
            await self._write(None)
        return not self.is_released

    async def _move(self, place: StepFrame) -> bool:
        """Release the run to the workers of the queue of a step."""
        assert self._placement is not None
        queue = self._placement.queue_of(place.step)
        self.is_released, self.moves_to = True, queue
        is_served = queue in await served_queues(self._journal.database, self._services.clock)
        event = StepQueued(place.key, queue, is_served)
        if event != self._last:
            self._note(event)
        await self._write(
            JournalChange(
                "running",
                was_awake=self._is_under_way,
                seen=self._seq,
                is_released=True,
                queue=queue,
                is_placed=True,
            )
        )
        return False

    async def _computed(self) -> Decision:
        """Compute everything that needs no waiting; return what is left to do."""
        await self._compute()
        if self._state.stopped_by is not None:
            self._attempts.stop()
        now = self._services.clock.now()
        for key, place in list(self._state.untimed.items()):
            until = timestamp(now + timedelta(seconds=place.step.gathers_s))
            self._note(StepWaiting(key, until))
        return self._decided()

    def _decided(self) -> Decision:
        return decide(self._state, self._services.clock.now(), MAX_CONCURRENT, self._placement)

    async def _drive(self, tasks: TaskGroup) -> bool:
        """Run the prepared steps until something happens; return whether there is more to do."""
        starting, self._starting = self._starting, []
        is_alone = len(starting) == 1 and len(self._state.running) == 1 and self._wake_at is None
        if is_alone and not self._state.is_ending:
            event = await self._alone.run(*starting[0], tasks)
            if event is None:
                return self._alone.has_more
            self._hear(event)
        else:
            self._begin(tasks, starting)
            if self._state.running:
                await self._next_event()
        return not self._state.finished and await self._advance()

    async def _compute(self) -> None:
        """Compute all pure steps, in slices, so that other runs get their turn."""
        if not (self._state.computable or self._state.touched):
            return
        computer = Computer(
            self._state,
            self._binder,
            pool=self._services.heavy,
            sizes=self._sizes,
            is_traced=self._attempts.is_traced,
        )
        until = time.monotonic() + SLICE_S
        while events := computer.events() or await self._heavy(computer):
            lane = self._services.heavy.lane
            self._unwritten.extend(await rows_of(events, lane, is_large=computer.is_large))
            if time.monotonic() > until:
                await self._write(None)
                await anyio.lowlevel.checkpoint()
                until = time.monotonic() + SLICE_S

    async def _heavy(self, computer: Computer) -> list[Event]:
        """Compute heavy steps in another process until there are events."""
        while computer.has_heavy and not self._state.is_ending:
            await self._write(None)
            events = await self._watched(computer) or computer.events()
            if events:
                return events
        return []

    async def _watched(self, computer: Computer) -> list[Event]:
        """Compute a heavy step; cancelling the run ends its process."""
        events: list[Event] = []
        lost: list[ToolweaveError] = []
        async with background() as tasks:
            tasks.start_soon(self._watch_outside, tasks.cancel_scope, lost)
            events = await computer.heavy_events()
        if lost:
            raise lost[0]
        return events

    async def _watch_outside(self, scope: anyio.CancelScope, lost: list[ToolweaveError]) -> None:
        """Cancel `scope` when the run is cancelled, or `lost` to another process."""
        try:
            while not self._state.is_ending:
                self._woken = anyio.Event()
                with anyio.move_on_after(LOOK_EVERY_S):
                    await self._woken.wait()
                with anyio.CancelScope(shield=True):
                    await self._keep_lease()
        except ToolweaveError as error:
            lost.append(error)
        scope.cancel()

    async def _made_ready(self, decision: Decision) -> list[tuple[NextWork, StepContext]]:
        """Prepare the steps to run, as far as there is room."""
        room = 0 if self._is_draining else MAX_CONCURRENT - len(self._state.running)
        starting: list[tuple[NextWork, StepContext]] = []
        for work in decision.work[: max(room, 0)]:
            key = work.place.key
            try:
                given = await bound_input(work.place, self._binder, self._services.heavy)
            except ToolweaveError as error:
                self._note(failure_of(key, error, work.attempt))
                continue
            self._note(StepStarted(key, work.attempt))
            starting.append((work, self._attempts.admit(work, given)))
        return starting

    def _begin(self, tasks: TaskGroup, starting: Sequence[tuple[NextWork, StepContext]]) -> None:
        for work, context in starting:
            if self._state.is_ending:  # cancellation arrived while their start was written
                self._attempts.dismiss(work.place.key)
                self._note(StepCancelled(work.place.key))
                continue
            tasks.start_soon(self._do, work, context)

    async def _do(self, work: NextWork, context: StepContext) -> None:
        self._tell(await self._attempts.make(work, context))

    async def _until_event(self) -> None:
        """Wait until a step ends, an outside event arrives, or the next wake-up time."""
        await anyio.lowlevel.checkpoint()
        if self._done:
            return  # steps that need no waiting have ended
        wait_s = LOOK_EVERY_S
        if self._wake_at is not None:
            ahead = self._wake_at - self._services.clock.now()
            wait_s = min(wait_s, max(ahead.total_seconds(), 0))
        self._woken = anyio.Event()
        with anyio.move_on_after(wait_s):
            await self._woken.wait()

    async def _next_event(self) -> None:
        """Process pending events, or wait for the next one."""
        if not self._unwritten:
            await self._until_event()
        self._hear()
        if not self._unwritten:
            await self._keep_lease()

    async def _keep_lease(self) -> None:
        """Read outside events, and renew the lease of a run with nothing to write."""
        # While steps run, the database may be unreachable.
        with suppress(Unavailable):
            await self._read_outside()
            if time.monotonic() - self._said > self._journal.hold_s / 3:
                await self._write(None)

    def _hear(self, last: Event | None = None) -> None:
        heard, self._done = self._done, []
        for event in (*heard, last):
            if event is not None:
                self._note(event)

    async def _read_outside(self) -> None:
        """Read answers and cancellations that other processes wrote."""
        for entry in await self._journal.read(self._run.id, self._seq):
            self._take(entry)

    def _take(self, entry: JournalEntry) -> None:
        self._seq, self._has_news = entry.seq, True
        self._state.apply(entry.event)
        if isinstance(entry.event, CancelAsked):
            self._attempts.stop()

    def _note(self, event: Event) -> None:
        try:
            row = written(event)
        except TypeError as error:
            assert isinstance(event, StepFinished | StepWaiting), event
            message = f"its output is not JSON: {error}"
            event = StepFailed(event.key, "NODE_OUTPUT_INVALID", message)
            row = written(event)
        self._apply_written(event, row)

    def _apply_written(self, event: Event, row: Written) -> None:
        self._state.apply(event)
        asked = self._open.changed_by(event)
        self._unwritten.append(row if asked is None else replace(row, asked=asked))

    async def _commit(self, decision: Decision) -> None:
        if not self._unwritten and self._state.running:
            return
        status = self._state.status
        wake_at = None if self._state.running else decision.wake_at
        is_under_way = status == "running" and wake_at is None
        if is_under_way and self._is_under_way:
            await self._write(None)  # unchanged
            return
        error = self._state.finished.error if self._state.finished else None
        message = str(error["message"]) if error else None
        is_final = status in FINAL
        beside: tuple[tuple[str, Event], ...] = ()
        if is_final:
            self.called, beside = await events_at_end(
                self._journal.database, self._run.id, self._lease.once_key, self._state
            )
        was_awake, seen = self._is_under_way, self._seq
        await self._write(
            JournalChange(
                status,
                wake_at,
                is_final,
                message,
                beside,
                was_awake,
                seen,
                # While it executes, it stays on its queue; then every worker can continue it.
                is_placed=self._lease.queue is not None and not is_under_way,
            )
        )
        self._is_under_way = is_under_way

    async def _write(self, change: JournalChange | None) -> None:
        events, self._unwritten = self._unwritten, []
        last = await self._held.append(events, change)
        self._said = time.monotonic()
        if last - len(events) != self._seq:
            # An outside event was written in between.
            for entry in await self._journal.read(self._run.id, self._seq):
                if entry.seq <= last - len(events):
                    self._take(entry)
        self._seq = last
