"""Check a server (response, latency, approved tools), and report its recent activity."""

from toolweave.access.mask import Masker
from toolweave.errors import ToolweaveError
from toolweave.json_record import JsonRecord
from toolweave.servers.connections import Connections
from toolweave.servers.definition import Server
from toolweave.servers.health import Health, Pings
from toolweave.servers.history import recent_calls
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.summary import state_of


class ServerCheck(JsonRecord):
    """The result of checking one server."""

    name: str
    state: str
    latency_ms: float | None
    tool_count: int | None
    protocol_version: str | None
    details: str | None
    code: str | None


class HealthCheckRecord(JsonRecord):
    """A health check."""

    at: str
    ok: bool
    latency_ms: float | None
    reason: str | None


class ServerCallRecord(JsonRecord):
    """A tool call."""

    at: str
    tool: str
    status: str
    took_ms: float | None
    code: str | None
    message: str | None


class ServerActivity(JsonRecord):
    """The last health checks and calls, oldest first, and the last lines of the server's log."""

    checks: list[HealthCheckRecord]
    calls: list[ServerCallRecord]
    log: list[str]


async def check_server(connections: Connections, lockfile: Lockfile, server: Server) -> ServerCheck:
    """Connect to the server and list its tools, or record why that failed."""
    try:
        live = await connections.refresh(server)
    except ToolweaveError as error:
        # A server that may not be started has not failed.
        may_start = server.enabled and server.is_approved
        state = "failing" if may_start else state_of(server, Health())
        return server_check(server.name, state, details=error.message, code=error.code)
    health = connections.health(server)
    drift = lockfile.drift(server.name, live.tools.values())
    return server_check(
        server.name,
        "ready",
        latency_ms=health.latency_ms,
        tool_count=health.tool_count,
        protocol_version=health.protocol_version,
        details=f"{len(drift)} tools differ from the approved ones" if drift else None,
    )


def server_check(name: str, state: str, **facts: float | str | None) -> ServerCheck:
    """Return a result; what `facts` do not say is null."""
    unknown = dict.fromkeys(ServerCheck.model_fields)
    return ServerCheck.of({**unknown, "name": name, "state": state, **facts})


async def recent_activity(
    connections: Connections, pings: Pings, masker: Masker, server: Server, *, limit: int
) -> ServerActivity:
    """Return at most `limit` of each, oldest first; possible secrets are masked."""
    checks = [
        HealthCheckRecord(at=at, ok=ok, latency_ms=latency_ms, reason=reason)
        for at, ok, latency_ms, reason in await pings.recent(server.id, limit)
    ]
    calls = [
        ServerCallRecord(
            at=at, tool=tool, status=status, took_ms=took_ms, code=code, message=message
        )
        for at, tool, status, took_ms, code, message in await recent_calls(
            pings.database, server.name, limit
        )
    ]
    log = [masker.mask_text(line) for line in connections.log(server)]
    return ServerActivity(checks=checks, calls=calls, log=log)
