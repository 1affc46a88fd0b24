"""The call history, written in batches in the background so that calls do not wait for it.

Durable runs rely on the engine's journal, not on this audit log for people.
While the database cannot be written, the newest records wait and no call fails.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Invalid, ToolweaveError
from toolweave.servers.disconnect_reason import printable
from toolweave.storage.database import Database, Row, Value
from toolweave.tasks import background, keep_going
from toolweave.tools.tool import CallId, ToolCall

logger = logging.getLogger(__name__)

Status = Literal["pending", "executing", "success", "error", "timeout", "cancelled"]

PAUSE_S = 0.05
PAUSE_AFTER_FAILURE_S = 1.0
MOST_UNSAVED = 10_000
TEXT_CHARACTERS = 500

COLUMNS = (
    "id, server, tool, status, source, scope, location, line, submitted_at, started_at, "
    "completed_at, retry_attempt, took_ms, error_code, error_message"
)
_SAVE = (
    f"INSERT INTO calls ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (id) DO UPDATE SET status = excluded.status, started_at = excluded.started_at, "
    "completed_at = excluded.completed_at, retry_attempt = excluded.retry_attempt, "
    "took_ms = excluded.took_ms, error_code = excluded.error_code, "
    "error_message = excluded.error_message"
)


@dataclass(slots=True)
class CallRecord:
    """One call and its status.

    Only `History` changes it, in place: copying it three times would double a call's cost.
    """

    call: ToolCall
    status: Status
    submitted_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    retry_attempt: int = 0
    max_retries: int = 0
    took_ms: float | None = None
    error_code: str | None = None
    error_message: str | None = None


class History:
    """Holds the newest record of each call; a background task writes them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._open: dict[CallId, CallRecord] = {}
        self._unsaved: dict[CallId, CallRecord] = {}
        self._saving = anyio.Lock()
        self._wake = anyio.Event()
        self._is_failing = False

    @property
    def open_calls(self) -> tuple[CallRecord, ...]:
        """Return the calls that are still running."""
        return tuple(replace(record) for record in self._open.values())

    def is_open_since(self, call: CallId, at: str) -> bool:
        """Return whether a call that was submitted by then is still open."""
        record = self._open.get(call)
        return record is not None and timestamp(record.submitted_at) <= at

    def submitted(self, call: ToolCall, *, max_retries: int) -> None:
        """Begin the record of a call: pending."""
        if call.id in self._open:
            raise Conflict("CALL_ID_TAKEN", f"a call with the id {call.id!r} is still running")
        self._keep(CallRecord(call, "pending", self._clock.now(), max_retries=max_retries))

    def executing(self, call: ToolCall) -> None:
        """Record that the call was sent."""
        record = self._open[call.id]
        record.status, record.started_at = "executing", self._clock.now()
        self._keep(record)

    def again(self, call: ToolCall) -> None:
        """Record a failure that allows a retry."""
        record = self._open[call.id]
        record.status = "pending"
        record.retry_attempt += 1
        self._keep(record)

    def finished(
        self,
        call: ToolCall,
        status: Status,
        *,
        took_ms: float | None = None,
        code: str | None = None,
        message: str | None = None,
    ) -> None:
        """Record the end of the call; a finished call does not change."""
        record = self._open.get(call.id)
        if record is None:
            return
        now = self._clock.now()
        if took_ms is None and record.started_at is not None:
            took_ms = (now - record.started_at).total_seconds() * 1000
        record.status, record.completed_at, record.took_ms = status, now, took_ms
        record.error_code, record.error_message = code, message or None
        self._keep(record)
        del self._open[call.id]

    async def recent(self, limit: int = 50) -> list[Row]:
        """Return the newest calls as table rows."""
        try:
            await self.save()
        except ToolweaveError:
            logger.warning("the newest calls are not recorded yet", exc_info=True)
        return await self._database.rows(
            f"SELECT {COLUMNS} FROM calls ORDER BY submitted_at DESC, id LIMIT ?", limit
        )

    async def save(self) -> None:
        """Write pending records in one transaction; on failure they stay pending."""
        async with self._saving:
            batch, self._unsaved = self._unsaved, {}
            try:
                if batch:
                    rows = [_row(record) for record in batch.values()]
                    await self._database.executemany(_SAVE, rows)
            except Invalid:
                # No retry could store a value that no column accepts.
                logger.exception("calls not recorded", extra={"count": len(batch)})
            except BaseException:
                self._unsaved = batch | self._unsaved
                raise

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write in the background while the context is active, and once at the end."""
        try:
            async with background() as tasks:
                tasks.start_soon(keep_going, self._write_forever)
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._try_to_save()

    async def _write_forever(self) -> None:
        while True:
            await self._wake.wait()
            await self._clock.sleep(PAUSE_AFTER_FAILURE_S if self._is_failing else PAUSE_S)
            self._wake = anyio.Event()
            with anyio.CancelScope(shield=True):
                await self._try_to_save()
            if self._is_failing:
                self._wake.set()

    async def _try_to_save(self) -> None:
        try:
            await self.save()
        except ToolweaveError:
            if not self._is_failing:
                logger.exception("calls not recorded", extra={"waiting": len(self._unsaved)})
            self._is_failing = True
        else:
            self._is_failing = False

    def _keep(self, record: CallRecord) -> None:
        self._open[record.call.id] = record
        self._unsaved[record.call.id] = record
        if len(self._unsaved) > MOST_UNSAVED:
            del self._unsaved[next(iter(self._unsaved))]
        self._wake.set()


async def recent_calls(database: Database, server: str, limit: int) -> list[Row]:
    """Return time, tool, status, duration, code and message of the latest calls, oldest first."""
    rows = await database.rows(
        "SELECT submitted_at, tool, status, took_ms, error_code, error_message FROM calls "
        "WHERE server = ? ORDER BY submitted_at DESC, id LIMIT ?",
        server,
        limit,
    )
    return list(reversed(rows))


def _row(record: CallRecord) -> Sequence[Value]:
    call = record.call
    return (
        _kept(call.id),
        _kept(call.server),
        _kept(call.label),
        record.status,
        call.source,
        _kept(call.scope),
        _kept(call.location),
        call.line,
        timestamp(record.submitted_at),
        timestamp(record.started_at) if record.started_at else None,
        timestamp(record.completed_at) if record.completed_at else None,
        record.retry_attempt,
        record.took_ms,
        record.error_code,
        _kept(record.error_message),
    )


def _kept(text: str | None) -> str | None:
    return None if text is None else printable(text, TEXT_CHARACTERS)
