"""The journal of runs: one append-only table, written in groups, fenced by epoch.

Everything pending is written in one transaction; waiting writers wake after the commit. A batch
of a holder that lost its lease changes nothing. Others may add an answer or a cancellation at any
time: the database assigns the numbers.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.engine.compatibility import VERSION
from toolweave.engine.events import Event, RunStatus
from toolweave.engine.journal_reader import SELECT, JournalEntry, JournalReader, entry_of, no_run
from toolweave.engine.journal_rows import (
    ANYBODY,
    APPEND,
    JournalChange,
    Pending,
    Written,
    blobs,
    new_rows,
    next_event,
    numbers,
    written,
)
from toolweave.engine.lease_owner import HOLD_S, is_alive, new_holder
from toolweave.engine.lease_watch import HeldRun, LeaseWatch
from toolweave.engine.notifications import RunNotifications
from toolweave.engine.open_questions import index
from toolweave.errors import Conflict, ToolweaveError, Unavailable
from toolweave.storage.database import Database, Statement, Values
from toolweave.tasks import background, keep_going

# How many new runs of this process are cached until they are taken.
MAX_NEW_LEASES = 1_000
# How often a follower polls, in case a notification of another process is lost.
LOOK_EVERY_S = 2.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write a run's journal until the next epoch is taken."""

    run: str
    epoch: int
    workflow: str
    document: str
    started_at: str
    once_key: str | None = None
    # The status of the run when it was taken.
    status: RunStatus = "running"
    wake_at: str | None = None
    # The queue that the run was placed on.
    queue: str | None = None
    # Whether the process that held it before is gone without having released it.
    was_cut_off: bool = False

    @property
    def is_under_way(self) -> bool:
        """Whether the run has the status of one that is executing."""
        return self.status == "running" and self.wake_at is None


@dataclass(frozen=True, slots=True)
class FirstEntries:
    """The first events of a run, as they will be stored."""

    run: str
    at: str
    events: tuple[Written, ...]

    def statements(self) -> list[Statement]:
        """Return the statements that write them, after the row with their number."""
        pending = Pending(self.run, ANYBODY, self.events, None, self.at, "")
        return [*blobs(self.events), Statement(APPEND, many=tuple(new_rows(pending)))]

    def entries(self) -> list[JournalEntry]:
        """Return the events as they are read, independent of the objects they were made from."""
        rows = enumerate(self.events, 1)
        return [entry_of((seq, self.at, event.kind, event.body)) for seq, event in rows]


class Journal(JournalReader):
    """The journal of all runs of one database."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        hold_s: float = HOLD_S,
        version: int = VERSION,
    ) -> None:
        super().__init__(database)
        # Runs that need a later version are left to others.
        self.version = version
        self.holder = new_holder()
        # How long a lease lasts without a write.
        self.hold_s = hold_s
        self.leases = LeaseWatch(
            clock, self.holder, hold_s, is_one_machine=database.dialect.name == "sqlite"
        )
        self._clock = clock
        self._pending: list[Pending] = []
        self._wake = anyio.Event()
        self._is_writing = False
        # New runs that no other process can have taken until then, with their events.
        self._new_leases: dict[str, tuple[Lease, float, FirstEntries]] = {}
        self.notifications = RunNotifications(database)

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write while this is entered; pending events are still written at the end."""
        async with self.notifications.running(), background() as tasks:
            tasks.start_soon(keep_going, self._write_forever)
            try:
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await self._write_all()

    def first_entries(self, run: str, events: Sequence[Event]) -> FirstEntries:
        """Return the first events of a new run."""
        at = timestamp(self._clock.now())
        return FirstEntries(run, at, tuple(written(event) for event in events))

    def keep_new_lease(self, lease: Lease, first: FirstEntries) -> None:
        """Cache a run that was created with a lease of this journal; taking it needs no commit."""
        self._new_leases[lease.run] = (lease, self._clock.monotonic() + self.hold_s, first)
        if len(self._new_leases) > MAX_NEW_LEASES:
            del self._new_leases[next(iter(self._new_leases))]

    def has_new_lease(self, run: str) -> bool:
        """Whether a run was created here and is not taken yet."""
        return run in self._new_leases

    async def take(self, run: str) -> tuple[Lease, list[JournalEntry]]:
        """Take the lease of a run and read its events.

        Raises `RUN_UNKNOWN`, `RUN_HELD`, `RUN_NEWER`.
        """
        lease, until, first = self._new_leases.pop(run, (None, 0.0, None))
        if lease is not None and first is not None and self._clock.monotonic() < until:
            # If another process took it nevertheless, the first write fails.
            return lease, first.entries()
        is_free = "(held_until IS NULL OR holder = ?)"
        found = await self._take_if(run, is_free, (self.holder,))
        if found is not None:
            return found
        row = await self.database.row(
            "SELECT holder, held_until, compatible_from FROM runs WHERE id = ?", run
        )
        if row is None:
            raise no_run(run)
        *lease_of, needed = row
        if needed > self.version:
            raise _newer(run, needed, self.version)
        held = HeldRun(run, *lease_of)
        if self.leases.is_free(held):
            # Of two processes that see it free, one wins; the other finds another holder.
            is_same = "coalesce(holder, '') = ? AND coalesce(held_until, '') = ?"
            same = (held.holder or "", held.held_until or "")
            # A process that exists was only silent: its database was away, or it got no processor.
            was_cut_off = not is_alive(held.holder)
            found = await self._take_if(run, is_same, same, was_cut_off=was_cut_off)
        if found is None:
            raise _held(run, held.holder)
        return found

    async def _take_if(
        self, run: str, condition: str, values: Values, *, was_cut_off: bool = False
    ) -> tuple[Lease, list[JournalEntry]] | None:
        taken, rows = await self.database.at_once(
            [
                Statement(
                    "UPDATE runs SET epoch = epoch + 1, holder = ?, "
                    "held_until = CASE WHEN finished_at IS NULL THEN ? END "
                    f"WHERE id = ? AND compatible_from <= ? AND {condition} "
                    "RETURNING epoch, workflow, document, started_at, once_key, status, wake_at, "
                    "queue",
                    (self.holder, self._until(self._clock.now()), run, self.version, *values),
                ),
                Statement(SELECT, (run, 0)),
            ],
            shared=True,
        )
        if not taken:
            return None
        lease = Lease(run, *taken[0], was_cut_off=was_cut_off)
        return lease, [entry_of(row) for row in rows]

    async def keep(self, lease: Lease) -> None:
        """Extend the lease. Raises `RUN_TAKEN` if another process took the run."""
        await self.append(lease, ())

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        """Write events durably; return the number of the last one. Raises `RUN_TAKEN`."""
        pending = self._new(lease.run, lease.epoch, events, change)
        if change is not None and change.beside:
            pending.beside = tuple(
                self._new(other, ANYBODY, [written(event)], None) for other, event in change.beside
            )
        return await self._write(pending)

    async def add(self, run: str, event: Event) -> int:
        """Write an event from outside, independent of the lease. Raises `RUN_TAKEN`."""
        return await self._write(self._new(run, ANYBODY, [written(event)], None))

    async def add_next(self, run: str, event: Event, after: int) -> bool:
        """Write an event from outside if number `after` is still the last; return whether it is."""
        pending = self._new(run, ANYBODY, [written(event)], None)
        found = await self.database.at_once(next_event(pending, after), shared=True)
        if found[0]:
            self.notifications.happened(run, is_call=True)
        return bool(found[0])

    async def follow(self, run: str, after: int = 0) -> AsyncIterator[JournalEntry]:
        """Yield past and new events until the run ends. Raises `RUN_UNKNOWN`."""
        async with aclosing(self.batches(run, after, paged=True)) as batches:
            async for entries in batches:
                for entry in entries:
                    yield entry

    async def batches(
        self, run: str, after: int = 0, *, paged: bool = False
    ) -> AsyncGenerator[list[JournalEntry]]:
        """The same in batches of all available events, or of pages. Raises `RUN_UNKNOWN`."""
        row = await self.database.row("SELECT finished_at, seq FROM runs WHERE id = ?", run)
        if row is None:
            raise no_run(run)
        if row[0] is not None and after >= row[1]:
            return  # the follower has seen every event
        with self.notifications.listening():
            while True:
                notified = self.notifications.of(run)
                async for entries in self.pages(run, after) if paged else self._all(run, after):
                    after = entries[-1].seq
                    yield entries
                    if entries[-1].event.kind == "finished":
                        return
                with anyio.move_on_after(LOOK_EVERY_S):
                    await notified.wait()

    async def _all(self, run: str, after: int) -> AsyncGenerator[list[JournalEntry]]:
        if entries := await self.read(run, after):
            yield entries

    async def _write(self, pending: Pending) -> int:
        self._pending.append(pending)
        with anyio.CancelScope(shield=True):
            if not self._is_writing:
                # No other write to share a commit with: write at once, without the other task.
                await self._write_batch()
            if self._pending:
                self._wake.set()
            if not pending.is_done:
                pending.done = anyio.Event()
                await pending.done.wait()
        if pending.failure is not None:
            raise pending.failure
        return pending.last

    def _new(
        self, run: str, epoch: int, events: Sequence[Written], change: JournalChange | None
    ) -> Pending:
        now = self._clock.now()
        return Pending(run, epoch, events, change, timestamp(now), self._until(now))

    def held(self) -> tuple[str, str]:
        """Return the holder and end of the lease of a run created here."""
        return self.holder, self._until(self._clock.now())

    def _until(self, now: datetime) -> str:
        return timestamp(now + timedelta(seconds=self.hold_s))

    async def _write_forever(self) -> None:
        while True:
            await self._write_all()  # first, what a failure of this loop left
            await self._wake.wait()
            self._wake = anyio.Event()

    async def _write_all(self) -> None:
        while self._pending:
            with anyio.CancelScope(shield=True):
                await self._write_batch()

    async def _write_batch(self) -> None:
        batch = self._next_batch()
        failure: ToolweaveError | None = None
        is_foreseen = False
        self._is_writing = True
        try:
            await self._commit(batch)
            is_foreseen = True
        except ToolweaveError as error:
            failure, is_foreseen = error, True
        finally:
            self._is_writing = False
            # An unexpected failure must not look like a success to waiting writers.
            self._tell(batch, failure if is_foreseen else _broken())

    def _next_batch(self) -> list[Pending]:
        """Return everything pending, but only the first batch of each run: numbers are per run."""
        if len(self._pending) == 1 and not self._pending[0].beside:
            batch, self._pending = self._pending, []
            return batch
        first: dict[str, Pending] = {}
        later: list[Pending] = []
        for pending in self._pending:
            if pending.run in first or any(one.run in first for one in pending.beside):
                later.append(pending)
                continue
            first[pending.run] = pending
            for one in pending.beside:
                first[one.run] = one
        self._pending = later
        return list(first.values())

    async def _commit(self, batch: Sequence[Pending]) -> None:
        # All processes lock rows in the same order, to avoid deadlocks.
        batch = sorted(batch, key=lambda pending: pending.run) if len(batch) > 1 else batch
        statements = [numbers(pending) for pending in batch]
        events = [event for pending in batch for event in pending.events]
        if any(event.blob for event in events):
            statements += blobs(events)
        for pending in batch:
            asked = [event.asked for event in pending.events if event.asked is not None]
            if asked:
                statements += index(pending.run, pending.epoch, pending.at, asked)
        # Rows of a writer that lost its lease match no epoch, and are not written.
        rows: list[Values] = []
        for pending in batch:
            rows += new_rows(pending)
        if rows:
            statements.append(Statement(APPEND, many=tuple(rows)))
        found = await self.database.at_once(statements, shared=True, shielded=True)
        for pending, given_out in zip(batch, found, strict=False):
            if given_out:
                pending.last = given_out[0][0]
            else:
                pending.failure = _taken(pending.run)

    def _tell(self, batch: Sequence[Pending], failure: ToolweaveError | None) -> None:
        for pending in batch:
            pending.failure = pending.failure or failure
            pending.is_done = True
            if pending.done is not None:
                pending.done.set()
            self.notifications.happened(pending.run, is_call=pending.epoch == ANYBODY)


def _broken() -> Unavailable:
    return Unavailable(
        "STORAGE_BROKEN", "the journal could not be written; see the log for details"
    )


def _taken(run: str) -> Conflict:
    return Conflict(
        "RUN_TAKEN",
        f"run {run!r} has finished, or another process owns it",
        hint="`toolweave runs show` shows its state",
    )


def _newer(run: str, needed: int, version: int) -> Conflict:
    return Conflict(
        "RUN_NEWER",
        f"run {run!r} needs a worker of engine version {needed}; this one has {version}",
        hint="a worker of a later release continues it; upgrade this one",
        facts={"needed": needed, "version": version},
    )


def _held(run: str, holder: str | None) -> Conflict:
    _, _, process = (holder or "").partition("/")
    return Conflict(
        "RUN_HELD",
        f"run {run!r} is owned by process {process.partition('/')[0] or '?'}",
        hint="`toolweave runs watch` follows it",
    )
