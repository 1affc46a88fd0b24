"""How a server did lately: its last checks and calls, and the last lines of its log."""

from toolweave.app.studio import Studio
from toolweave.json_text import Json, JsonObject
from toolweave.servers.definition import Server
from toolweave.servers.history import calls_of


async def health_of(studio: Studio, server: Server, limit: int) -> JsonObject:
    """At most so many of each, oldest first; what might be a secret is masked."""
    ground = studio.ground
    checks: list[Json] = [
        {"at": at, "ok": ok, "latencyMs": latency_ms, "reason": reason}
        for at, ok, latency_ms, reason in await ground.pings.recent(server.id, limit)
    ]
    calls: list[Json] = [
        {"at": at, "tool": tool, "status": status, "tookMs": took_ms, "code": code, "message": said}
        for at, tool, status, took_ms, code, said in await calls_of(
            ground.database, server.name, limit
        )
    ]
    log: list[Json] = [ground.masker.mask_text(line) for line in studio.connections.log(server)]
    return {"checks": checks, "calls": calls, "log": log}
