"""Trying a server: does it answer, how fast, and are its tools those that were approved."""

from dataclasses import dataclass
from typing import Any

from toolweave.errors import ToolweaveError
from toolweave.servers.connections import Connections
from toolweave.servers.definition import Server
from toolweave.servers.lockfile import Lockfile


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """What is known of one server so far."""

    server: str
    state: str
    latency_ms: float | None = None
    tools: int | None = None
    protocol: str | None = None
    details: str | None = None
    code: str | None = None

    def as_json(self) -> dict[str, Any]:
        """One entry of `--json`."""
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
    """Connect to it, or say why that cannot be done."""
    try:
        live = await connections.look(server)
    except ToolweaveError as error:
        return ServerCheck(server.name, "failing", details=error.message, code=error.code)
    health = connections.health(server)
    drift = lockfile.drift(server.name, live.tools.values())
    details = f"{len(drift)} tools differ from what was approved" if drift else None
    return ServerCheck(
        server.name,
        "ready",
        latency_ms=health.latency_ms,
        tools=health.tool_count,
        protocol=health.protocol_version,
        details=details,
    )
