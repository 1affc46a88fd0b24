"""The tool calls of a home, active and past, and the requests to stop them.

Any process may ask; the process that runs a call cancels it. Requests are rows beside the notices,
because the one who asks and the one who runs share nothing but the database.
"""

from dataclasses import dataclass
from datetime import timedelta

import orjson

from toolweave.clock import Clock, timestamp
from toolweave.json_record import JsonRecord
from toolweave.servers.history import COLUMNS
from toolweave.storage.database import Database, Row

STOP = "stop_calls"
EVERY_CALL = "*"
# A record that was never finished is not active for longer: its process was killed.
ACTIVE_FOR = timedelta(hours=1)


class CallRow(JsonRecord):
    """A tool call as REST and `--json` show it."""

    id: str
    server: str
    tool: str
    status: str
    source: str
    scope: str | None
    location: str | None
    line: int | None
    submitted_at: str
    started_at: str | None
    completed_at: str | None
    retry_attempt: int
    took_ms: float | None
    error_code: str | None
    error_message: str | None


@dataclass(frozen=True, slots=True)
class StopRequest:
    """A request to stop one call, or all; `calls` are those that were active then."""

    number: int
    at: str
    is_for_all: bool
    calls: frozenset[str]


class CallList:
    """Reads the calls of every process of this home."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def active(self) -> list[CallRow]:
        """Return the calls that are waiting or running, oldest first."""
        since = timestamp(self._clock.now() - ACTIVE_FOR)
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM calls WHERE completed_at IS NULL AND submitted_at >= ? "
            "ORDER BY submitted_at, id",
            since,
        )
        return [_call(row) for row in rows]

    async def past(self, limit: int, server: str | None = None) -> list[CallRow]:
        """Return the finished calls, newest first."""
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM calls WHERE completed_at IS NOT NULL AND "
            "(CAST(? AS TEXT) IS NULL OR server = ?) ORDER BY submitted_at DESC, id LIMIT ?",
            server,
            server,
            limit,
        )
        return [_call(row) for row in rows]

    async def total(self) -> int:
        """Return how many calls are recorded."""
        row = await self._database.row("SELECT count(*) FROM calls")
        return int(str(row[0])) if row else 0

    async def request_stop(self, call: str | None = None) -> None:
        """Ask every process to stop this call, or all that are active now."""
        meant = [call] if call is not None else [one.id for one in await self.active()]
        await self._database.execute(
            "INSERT INTO notices (at, kind, subject, message) VALUES (?, ?, ?, ?)",
            timestamp(self._clock.now()),
            STOP,
            call or EVERY_CALL,
            orjson.dumps(meant).decode(),
        )

    async def stop_requests(self, after: int) -> list[StopRequest]:
        """Return the requests after the one with this number."""
        rows = await self._database.rows(
            "SELECT id, at, subject, message FROM notices WHERE kind = ? AND id > ? ORDER BY id",
            STOP,
            after,
        )
        return [_stop_request(*map(str, row)) for row in rows]


def _stop_request(number: str, at: str, subject: str, calls: str) -> StopRequest:
    is_for_all = subject == EVERY_CALL
    # Requests of earlier versions name no calls.
    named = orjson.loads(calls) if calls else [] if is_for_all else [subject]
    return StopRequest(int(number), at, is_for_all, frozenset(named))


def _call(row: Row) -> CallRow:
    return CallRow.of(dict(zip((name.strip() for name in COLUMNS.split(",")), row, strict=True)))
