"""Server health as data, and the history of pings."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from toolweave.clock import timestamp
from toolweave.servers.definition import ServerId
from toolweave.servers.disconnect_reason import printable
from toolweave.storage.database import Database

ConnectionState = Literal["disconnected", "connecting", "connected", "error"]

KEPT_PINGS = 1_000


@dataclass(frozen=True, slots=True)
class RetryState:
    """The state of the reconnection backoff."""

    is_retrying: bool = False
    attempt: int = 0
    next_retry_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The health of one server at one moment."""

    state: ConnectionState = "disconnected"
    last_ping_at: datetime | None = None
    latency_ms: float | None = None
    consecutive_failures: int = 0
    retry: RetryState = RetryState()
    auto_disabled_at: datetime | None = None
    reason: str | None = None
    tool_count: int | None = None
    protocol_version: str | None = None


class Pings:
    """The latest pings of each server."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def save(self, server: ServerId, at: datetime, health: Health) -> None:
        """Store one ping and delete all but the latest thousand."""
        async with self.database.transaction() as change:
            await change.execute(
                "INSERT INTO health (server_id, at, ok, latency_ms, reason, tool_count) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                server,
                timestamp(at),
                int(health.state == "connected"),
                health.latency_ms,
                printable(health.reason, 500) if health.reason else None,
                health.tool_count,
            )
            await change.execute(
                "DELETE FROM health WHERE server_id = ? AND at < (SELECT MIN(at) FROM (SELECT at "
                "FROM health WHERE server_id = ? ORDER BY at DESC LIMIT ?) AS newest)",
                server,
                server,
                KEPT_PINGS,
            )

    async def recent(
        self, server: ServerId, limit: int
    ) -> list[tuple[str, bool, float | None, str | None]]:
        """Return time, success, latency and failure reason of the latest pings, oldest first."""
        rows = await self.database.rows(
            "SELECT at, ok, latency_ms, reason FROM health WHERE server_id = ? "
            "ORDER BY at DESC LIMIT ?",
            server,
            limit,
        )
        return [
            (at, bool(ok), latency_ms if ok else None, reason)
            for at, ok, latency_ms, reason in reversed(rows)
        ]

    async def last(self, server: ServerId) -> Health:
        """Return the latest ping of any process."""
        row = await self.database.row(
            "SELECT ok, latency_ms, reason, tool_count, (SELECT MAX(at) FROM health "
            "WHERE server_id = ? AND ok = 1) FROM health WHERE server_id = ? "
            "ORDER BY at DESC LIMIT 1",
            server,
            server,
        )
        if row is None:
            return Health()
        ok, latency_ms, reason, tool_count, good_at = row
        return Health(
            state="connected" if ok else "error",
            last_ping_at=datetime.fromisoformat(str(good_at)) if good_at is not None else None,
            latency_ms=float(str(latency_ms)) if latency_ms is not None else None,
            reason=str(reason) if reason is not None else None,
            tool_count=int(str(tool_count)) if tool_count is not None else None,
        )
