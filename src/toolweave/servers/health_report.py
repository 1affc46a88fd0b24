"""Recent activity of a server: its latest checks, calls and log lines."""

from toolweave.access.mask import Masker
from toolweave.json_text import Json, JsonObject
from toolweave.servers.connections import Connections
from toolweave.servers.definition import Server
from toolweave.servers.health import Pings
from toolweave.servers.history import recent_calls


async def recent_activity(
    connections: Connections, pings: Pings, masker: Masker, server: Server, *, limit: int
) -> JsonObject:
    """Return at most `limit` of each, oldest first; possible secrets are masked."""
    checks: list[Json] = [
        {"at": at, "ok": ok, "latencyMs": latency_ms, "reason": reason}
        for at, ok, latency_ms, reason in await pings.recent(server.id, limit)
    ]
    calls: list[Json] = [
        {"at": at, "tool": tool, "status": status, "tookMs": took_ms, "code": code, "message": said}
        for at, tool, status, took_ms, code, said in await recent_calls(
            pings.database, server.name, limit
        )
    ]
    log: list[Json] = [masker.mask_text(line) for line in connections.log(server)]
    return {"checks": checks, "calls": calls, "log": log}
