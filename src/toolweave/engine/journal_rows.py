"""How events are written to the journal: as text, with numbers, by those who may."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import anyio

from toolweave import json_text
from toolweave.clock import timestamp
from toolweave.engine.events import Event, RunStatus, to_body
from toolweave.engine.open_questions import AskedQuestion
from toolweave.engine.run_table import AT_ONCE
from toolweave.errors import ToolweaveError
from toolweave.storage.database import Statement, Value, Values

MAX_ROW_CHARS = 100_000
# In place of an epoch: any lease holder.
ANYBODY = -1
# Who holds the newest epoch may write, and anybody as long as the run is not over.
_MAY_WRITE = "(epoch = ? OR (? < 0 AND finished_at IS NULL))"
# The numbers were given out just before, so the last one stands in the run.
APPEND = (
    "INSERT INTO journal (run, seq, at, kind, body, blob) "
    f"SELECT id, seq - ?, ?, ?, ?, ? FROM runs WHERE id = ? AND {_MAY_WRITE}"
)


@dataclass(frozen=True, slots=True)
class Written:
    """An event as it will stand in the journal."""

    kind: str
    body: str
    # What it changes about the questions that are open.
    asked: AskedQuestion | None = None


@dataclass(frozen=True, slots=True)
class JournalChange:
    """Changes of the run's own row, in the same transaction as its events."""

    status: RunStatus
    wake_at: datetime | None = None
    is_final: bool = False
    error: str | None = None
    # Events of other runs, written in the same commit where those are not over.
    beside: tuple[tuple[str, Event], ...] = ()
    # Whether the run has no moment to wake at as it stands; to say so again costs an index.
    was_awake: bool = False
    # The last number the writer has taken in: what others wrote after it wakes the run at once.
    seen: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether the run is suspended until it is woken."""
        return self.status != "running" and not self.is_final


@dataclass(eq=False, slots=True)
class Pending:
    """What one writer wants written of one run."""

    run: str
    epoch: int
    events: Sequence[Written]
    change: JournalChange | None
    at: str
    # Until when the writer holds the run without another word.
    until: str
    is_done: bool = False
    # Set when it is done, where somebody waits for that.
    done: anyio.Event | None = None
    failure: ToolweaveError | None = None
    last: int = 0
    # Written in the same commit, to other runs.
    beside: "tuple[Pending, ...]" = ()


def numbers(pending: Pending) -> Statement:
    """Give out numbers, if the writer still holds the run."""
    change = pending.change
    sets = "seq = seq + ?, changed_at = ?"
    values: list[Value] = [len(pending.events), pending.at]
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
        if change.is_final:
            sets += ", finished_at = ?, error = ?"
            values += [pending.at, change.error]
    if pending.epoch != ANYBODY:
        sets += ", held_until = ?"
        is_held = change is None or change.status == "running"
        values.append(pending.until if is_held else None)
    else:
        # A worker finds it if the process that wrote it dies before the run resumes.
        sets += ", wake_at = CASE WHEN status = 'running' THEN wake_at ELSE ? END"
        values.append(AT_ONCE)
    sql = f"UPDATE runs SET {sets} WHERE id = ? AND {_MAY_WRITE} RETURNING seq"
    return Statement(sql, (*values, pending.run, pending.epoch, pending.epoch))


def new_rows(pending: Pending) -> Iterator[Values]:
    """What `APPEND` is run with."""
    before = len(pending.events)
    for event in pending.events:
        before -= 1
        blob = _hash(event.body) if len(event.body) > MAX_ROW_CHARS else None
        kept = None if blob else event.body
        epoch = pending.epoch
        yield (before, pending.at, event.kind, kept, blob, pending.run, epoch, epoch)


def blobs(events: Sequence[Written]) -> Iterator[Statement]:
    """How what is too large for a row is kept."""
    large = [event.body for event in events if len(event.body) > MAX_ROW_CHARS]
    for name, body in sorted((_hash(body), body) for body in large):
        sql = "INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
        yield Statement(sql, (name, body))


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def written(event: Event) -> Written:
    """An event as text. Raises `TypeError`: it holds what JSON cannot."""
    body = to_body(event)
    try:
        return Written(event.kind, json_text.write(body))
    except TypeError:
        # Whole numbers of over 64 bits are JSON too; what is none raises here as well.
        return Written(event.kind, json.dumps(body, allow_nan=False))
