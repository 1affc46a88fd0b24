"""How events are written to the journal: encoded, numbered, and only by those who may."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import anyio

from toolweave import json_text
from toolweave.clock import timestamp
from toolweave.engine.compatibility import needed_version
from toolweave.engine.events import Event, RunStatus, to_body
from toolweave.engine.open_questions import AskedQuestion
from toolweave.engine.run_table import AT_ONCE
from toolweave.errors import ToolweaveError
from toolweave.storage.database import Statement, Value, Values

MAX_ROW_CHARS = 100_000
# In place of an epoch: any lease holder.
ANYBODY = -1
# The holder of the newest epoch may write, and anyone while the run is not over.
_MAY_WRITE = "(epoch = ? OR (? < 0 AND finished_at IS NULL))"
# The numbers were just assigned, so the run's row has the last one.
APPEND = (
    "INSERT INTO journal (run, seq, at, kind, body, blob) "
    f"SELECT id, seq - ?, ?, ?, ?, ? FROM runs WHERE id = ? AND {_MAY_WRITE}"
)


@dataclass(frozen=True, slots=True)
class Written:
    """An event as it will be stored."""

    kind: str
    body: str
    # Its changes of the open questions.
    asked: AskedQuestion | None = None
    # The hash of a body that is too large for a row.
    blob: str | None = None
    # The lowest version that can read it.
    needs: int = 1


@dataclass(frozen=True, slots=True)
class JournalChange:
    """Changes of the run's own row, in the same transaction as its events."""

    status: RunStatus
    wake_at: datetime | None = None
    is_final: bool = False
    error: str | None = None
    # Events of other runs, written in the same commit unless those have ended.
    beside: tuple[tuple[str, Event], ...] = ()
    # Whether the run has no wake-up time already; writing that again costs an index update.
    was_awake: bool = False
    # The last number the writer has read: a later outside event wakes the run at once.
    seen: int = 0
    # Whether any process may take the run now.
    is_released: bool = False
    # The queue to continue on, to be written if it differs from the stored one.
    queue: str | None = None
    is_placed: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether the run is suspended until it is woken."""
        return self.status != "running" and not self.is_final


@dataclass(eq=False, slots=True)
class Pending:
    """A write of one writer to one run."""

    run: str
    epoch: int
    events: Sequence[Written]
    change: JournalChange | None
    at: str
    # Until when the writer holds the lease without another write.
    until: str
    is_done: bool = False
    # Set when it is done, if a task waits for that.
    done: anyio.Event | None = None
    failure: ToolweaveError | None = None
    last: int = 0
    # Events for other runs, written in the same commit.
    beside: "tuple[Pending, ...]" = ()
    # Written only if this is still the last number of the run.
    after: int | None = None


def numbers(pending: Pending) -> Statement:
    """Assign numbers, if the writer still holds the lease."""
    change = pending.change
    sets = "seq = seq + ?, changed_at = ?"
    values: list[Value] = [len(pending.events), pending.at]
    if (version := max((event.needs for event in pending.events), default=1)) > 1:
        sets += ", compatible_from = CASE WHEN compatible_from < ? THEN ? ELSE compatible_from END"
        values += [version, version]
    if change is not None:
        sets += ", status = ?"
        values.append(change.status)
        wakes = timestamp(change.wake_at) if change.wake_at and not change.is_final else None
        if change.is_settled:
            sets += ", wake_at = CASE WHEN seq = ? THEN ? ELSE ? END"
            values += [change.seen, wakes, AT_ONCE]
        elif wakes is not None or not change.was_awake:
            sets += ", wake_at = ?"
            values.append(wakes)
        if change.is_placed:  # an outside event is for every worker
            sets += ", queue = CASE WHEN seq = ? THEN ? END"
            values += [change.seen, change.queue]
        if change.is_final:
            sets += ", finished_at = ?, error = ?"
            values += [pending.at, change.error]
    if pending.epoch != ANYBODY:
        sets += ", held_until = ?"
        is_held = change is None or (change.status == "running" and not change.is_released)
        values.append(pending.until if is_held else None)
    else:
        # A worker finds it if the process that wrote it dies before the run resumes.
        sets += ", queue = NULL, wake_at = CASE WHEN status = 'running' THEN wake_at ELSE ? END"
        values.append(AT_ONCE)
    sql = f"UPDATE runs SET {sets} WHERE id = ? AND {_MAY_WRITE}"
    values += [pending.run, pending.epoch, pending.epoch]
    if pending.after is not None:
        sql += " AND seq = ?"
        values.append(pending.after)
    return Statement(f"{sql} RETURNING seq", tuple(values))


def next_event(pending: Pending, after: int) -> list[Statement]:
    """Return the statements that write one event directly after number `after`, or nothing."""
    pending.after = after
    (row,) = new_rows(pending)
    # If another event has that number, the run's row was not changed by this transaction.
    is_next = " AND seq = ? AND NOT EXISTS (SELECT 1 FROM journal WHERE run = ? AND seq = ?)"
    append = Statement(APPEND + is_next, (*row, after + 1, pending.run, after + 1))
    return [numbers(pending), *blobs(pending.events), append]


def new_rows(pending: Pending) -> Iterator[Values]:
    """Return the parameters of `APPEND`."""
    before = len(pending.events)
    for event in pending.events:
        before -= 1
        kept = None if event.blob else event.body
        epoch = pending.epoch
        yield (before, pending.at, event.kind, kept, event.blob, pending.run, epoch, epoch)


def blobs(events: Sequence[Written]) -> Iterator[Statement]:
    """Return how a value too large for a row is stored."""
    for name, body in sorted((event.blob, event.body) for event in events if event.blob):
        sql = "INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
        yield Statement(sql, (name, body))


def written(event: Event) -> Written:
    """Return an event as text. Raises `TypeError` for values that are not JSON."""
    body = to_body(event)
    try:
        text = json_text.write(body)
    except TypeError:
        # Integers over 64 bits are JSON too; anything else raises here as well.
        text = json.dumps(body, allow_nan=False)
    is_large = len(text) > MAX_ROW_CHARS
    blob = hashlib.sha256(text.encode()).hexdigest() if is_large else None
    return Written(event.kind, text, blob=blob, needs=needed_version(event))
