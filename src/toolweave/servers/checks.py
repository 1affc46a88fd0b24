"""Check a server: whether it responds, its latency, and whether its tools are still approved."""

from dataclasses import dataclass
from typing import Any

from toolweave.errors import ToolweaveError
from toolweave.servers.connections import Connections
from toolweave.servers.definition import Server
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
        live = await connections.look(server)
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
