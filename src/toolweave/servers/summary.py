"""Summaries of registered servers, made without starting them."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from toolweave.access.mask import MASK, Masker
from toolweave.clock import timestamp
from toolweave.json_record import JsonRecord
from toolweave.patterns import pattern
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    Server,
    SseServer,
    deployment_of,
    runner_of,
    transport_of,
)
from toolweave.servers.health import Health, Pings
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.registry import auto_disabled_at

if TYPE_CHECKING:  # it imports the MCP SDK
    from toolweave.servers.connections import Connections


_MASKER = Masker()
# A value that says where a secret is, not what it is.
_REFERENCE = pattern(r"\$\{[^{}]{1,200}\}")


@dataclass(frozen=True, slots=True)
class ServerSummary:
    """What is known about a server without starting it."""

    server: Server
    health: Health = field(default_factory=Health)
    pinned: int = 0  # number of pinned tools
    description: str | None = None  # as of the approval of its tools
    is_live: bool = False  # whether the health is of a connection of this process
    waits_s: tuple[float, ...] = ()  # before each retry of a failed connection


async def summarize_server(
    pings: Pings,
    lockfile: Lockfile,
    server: Server,
    waits_s: tuple[float, ...],
    *,
    connections: "Connections | None" = None,
) -> ServerSummary:
    """Return the summary of a server.

    Only a process with `connections` knows what is connected; the others know the last check.
    """
    last = await pings.last(server.id)
    if connections is not None:
        live = connections.health(server)
        # The connection of a disabled server is being closed.
        is_closing = not server.enabled and live.state in ("connecting", "connected")
        # The figures of the last session stay, but not its connection.
        is_known = live.state != "disconnected" and not is_closing
        health = live if is_known else _not_connected(last)
    else:
        health = last
    if server.auto_disabled:
        disabled_at = await auto_disabled_at(pings.database, server.name)
        health = replace(health, auto_disabled_at=disabled_at)
    return ServerSummary(
        server,
        health,
        len(lockfile.pins(server.name)),
        lockfile.description(server.name),
        is_live=connections is not None,
        waits_s=waits_s,
    )


def _not_connected(last: Health) -> Health:
    if last.state != "connected":
        return last
    return replace(last, state="disconnected", latency_ms=None)


def state_of(server: Server, health: Health) -> str:
    """The state in one word."""
    if not server.is_approved:
        return "changed" if server.approved_hash else "not approved"
    if server.auto_disabled:
        return "auto-disabled"
    if not server.enabled:
        return "disabled"
    if health.state == "error":
        return "failing"
    if health.state == "connecting":
        return "connecting"
    return "ready" if health.state == "connected" else "not tried"


def details_of(server: Server, health: Health) -> str | None:
    """Why the server does not work."""
    if state_of(server, health) in ("auto-disabled", "failing"):
        return health.reason or server.last_failure
    return None


def has_sign_in(definition: Definition) -> bool:
    """Whether the server supports a sign-in."""
    return isinstance(definition, HttpServer | SseServer) and bool(definition.oauth)


def display_name(name: str) -> str:
    """Return a display name: `aws-knowledge_mcp` is `Aws Knowledge Mcp`."""
    words = name.replace("-", " ").replace("_", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words) or name


def _argv(definition: Definition) -> list[str]:
    """Return what starts a server, or the address of a remote one, without secrets."""
    match definition:
        case CommandServer():
            return _MASKER.mask_argv([definition.command, *definition.args])
        case ContainerServer():
            return _MASKER.mask_argv([definition.image, *definition.command])
        case HttpServer() | SseServer():
            return [_MASKER.mask_text(definition.url)]


def _environment(definition: Definition) -> dict[str, str]:
    if isinstance(definition, HttpServer | SseServer):
        return {}
    return {
        name: value if _REFERENCE.fullmatch(value) else MASK
        for name, value in definition.env.items()
    }


class RetryRecord(JsonRecord):
    """The reconnection backoff of a server."""

    is_retrying: bool
    current_attempt: int
    next_retry_at: str | None
    # Milliseconds before each retry.
    backoff_intervals: list[float]


class ServerRecord(JsonRecord):
    """A server as REST and `--json` show it."""

    id: str
    name: str
    display_name: str
    description: str | None
    state: str
    transport: str
    # The transport again, under the name that clients' configurations use.
    type: str
    # What starts the server; of a remote server its address, without arguments.
    command: str
    args: list[str]
    # The names of its variables; values are masked unless they only refer to a secret.
    environment: dict[str, str]
    deployment_type: str
    runner: str | None
    scope: str
    found_in: str | None
    enabled: bool
    approved: bool
    auto_disabled: bool
    auto_disabled_at: str | None
    failure_count: int
    last_connected_at: str | None
    connection_status: str
    # The last check that the server answered, and how long it took.
    last_ping_at: str | None
    latency_ms: float | None
    tool_count: int | None
    details: str | None
    retry_state: RetryRecord
    # Whether the server supports a sign-in.
    sign_in: bool


def _written(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None


def record_of(line: ServerSummary) -> ServerRecord:
    """Return the record of a server."""
    server, health = line.server, line.health
    command, *arguments = _argv(server.definition)
    return ServerRecord(
        id=server.id,
        name=server.name,
        display_name=display_name(server.name),
        description=line.description,
        state=state_of(server, health),
        transport=transport_of(server.definition),
        type=transport_of(server.definition),
        command=command,
        args=arguments,
        environment=_environment(server.definition),
        deployment_type=deployment_of(server.definition),
        runner=runner_of(server.definition),
        scope=server.scope,
        found_in=server.found_in,
        enabled=server.enabled,
        approved=server.is_approved,
        auto_disabled=server.auto_disabled,
        auto_disabled_at=_written(health.auto_disabled_at),
        failure_count=server.failure_count,
        last_connected_at=_written(server.last_connected_at),
        connection_status="connected"
        if line.is_live and health.state == "connected"
        else "disconnected",
        last_ping_at=_written(health.last_ping_at),
        latency_ms=health.latency_ms,
        tool_count=health.tool_count if health.tool_count is not None else line.pinned or None,
        details=details_of(server, health),
        retry_state=RetryRecord(
            is_retrying=health.retry.is_retrying,
            current_attempt=health.retry.attempt,
            next_retry_at=_written(health.retry.next_retry_at),
            backoff_intervals=[seconds * 1000 for seconds in line.waits_s],
        ),
        sign_in=has_sign_in(server.definition),
    )
