"""Reads the journal of runs: all events, the last one, or page by page."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import orjson
from anyio.to_thread import run_sync

from toolweave.engine.events import Event, from_body
from toolweave.errors import NotFound, Unavailable
from toolweave.storage.database import Database, Row

# How many events are read at once where little of them is kept; large ones one by one.
PAGE = 100
# From this size on, events are parsed in a thread.
LARGE_CHARS = 100_000

SELECT = (
    "SELECT journal.seq, journal.at, journal.kind, coalesce(journal.body, blobs.text) "
    "FROM journal LEFT JOIN blobs ON blobs.hash = journal.blob "
    "WHERE journal.run = ? AND journal.seq > ? ORDER BY journal.seq"
)
_LAST = SELECT.replace("ORDER BY journal.seq", "ORDER BY journal.seq DESC LIMIT 1")
_PAGE = (
    "SELECT seq, at, kind, body, blob FROM journal "
    f"WHERE run = ? AND seq > ? ORDER BY seq LIMIT {PAGE}"
)


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An event with its number and time."""

    seq: int
    at: str
    event: Event
    # The length of its JSON.
    chars: int = 0


class JournalReader:
    """The events of all runs of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read(self, run: str, after: int = 0) -> list[JournalEntry]:
        """Return the events of a run after a number."""
        return [entry_of(row) for row in await self.database.rows(SELECT, run, after)]

    async def last(self, run: str) -> JournalEntry:
        """Return the last event of a run. Raises `RUN_UNKNOWN`."""
        rows = await self.database.rows(_LAST, run, 0)
        if not rows:
            raise no_run(run)
        return entry_of(rows[0])

    async def pages(self, run: str, after: int = 0) -> AsyncGenerator[list[JournalEntry]]:
        """Yield the events so far in parts of bounded size, so that no reader holds them all."""
        rows = await self.database.rows(_PAGE, run, after)
        while rows:
            small: list[Row] = []
            for seq, at, kind, body, blob in rows:
                if blob is None:
                    small.append((seq, at, kind, body))
                    continue
                if small:
                    yield await _entries(small)
                    small = []
                text = await self.database.row("SELECT text FROM blobs WHERE hash = ?", blob)
                yield await _entries([(seq, at, kind, text[0] if text else body)])
            if small:
                yield await _entries(small)
            after = rows[-1][0]
            rows = await self.database.rows(_PAGE, run, after) if len(rows) == PAGE else []


async def _entries(rows: Sequence[Row]) -> list[JournalEntry]:
    """Parse rows; large ones leave the event loop free."""
    if sum(len(row[3] or "") for row in rows) < LARGE_CHARS:
        return [entry_of(row) for row in rows]
    return await run_sync(lambda: [entry_of(row) for row in rows])


def entry_of(row: Row) -> JournalEntry:
    """Return the event of a row. Raises `JOURNAL_UNREADABLE`."""
    seq, at, kind, body = row
    if body is None:
        raise Unavailable("JOURNAL_UNREADABLE", f"an event {kind!r} has no body")
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        message = f"event {seq} of a run, {kind!r}, cannot be read: {error.msg}"
        hint = "the database was modified or is damaged; restore a backup"
        raise Unavailable("JOURNAL_UNREADABLE", message, hint=hint) from error
    return JournalEntry(seq, at, from_body(kind, told), len(body))


def no_run(run: str) -> NotFound:
    """Return the error for an unknown run."""
    return NotFound("RUN_UNKNOWN", f"there is no run {run!r}")
