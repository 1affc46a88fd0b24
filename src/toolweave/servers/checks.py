"""Check a server (response, latency, approved tools), and report its recent activity."""

from dataclasses import dataclass
from typing import Any

from toolweave.access.mask import Masker
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.servers.connections import Connections
from toolweave.servers.definition import Server
from toolweave.servers.health import Pings
from toolweave.servers.history import recent_calls
from toolweave.servers.lockfile import Lockfile


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """The result of checking one server."""

    server: str
    state: str
    latency_ms: float | None = None
    tools: int | None = None
    protocol: str | None = None
    details: str | None = None
    code: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "name": self.server,
            "state": self.state,
            "latencyMs": self.latency_ms,
            "toolCount": self.tools,
            "protocolVersion": self.protocol,
            "details": self.details,
            "code": self.code,
        }


async def check_server(connections: Connections, lockfile: Lockfile, server: Server) -> ServerCheck:
    """Connect to the server and list its tools, or record why that failed."""
    try:
        live = await connections.refresh(server)
    except ToolweaveError as error:
        return ServerCheck(server.name, "failing", details=error.message, code=error.code)
    health = connections.health(server)
    drift = lockfile.drift(server.name, live.tools.values())
    details = f"{len(drift)} tools differ from the approved ones" if drift else None
    return ServerCheck(
        server.name,
        "ready",
        latency_ms=health.latency_ms,
        tools=health.tool_count,
        protocol=health.protocol_version,
        details=details,
    )


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
