"""`toolweave servers check`: ping every server at the same time, with a table that fills up."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
import click
from rich.live import Live as LiveDisplay

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import (
    console,
    is_terminal,
    json_option,
    make_table,
    print_json,
    print_table,
    say,
)
from toolweave.errors import ToolweaveError
from toolweave.servers.definition import Server

COLUMNS = ("name", "state", "latency", "tools", "protocol", "details")


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of one server so far."""

    server: str
    state: str
    latency_ms: float | None = None
    tools: int | None = None
    protocol: str | None = None
    details: str | None = None
    code: str | None = None

    @property
    def row(self) -> tuple[str | None, ...]:
        """One line of the table."""
        latency = f"{self.latency_ms:.0f} ms" if self.latency_ms is not None else None
        tools = str(self.tools) if self.tools is not None else None
        return (self.server, self.state, latency, tools, self.protocol, self.details)

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


@click.command()
@click.argument("names", nargs=-1)
@json_option
def check(names: tuple[str, ...], as_json: bool) -> int:
    """Ping servers (all enabled ones, or those named), all at the same time.

    Exits with 1 when one that should answer does not.
    """

    async def work() -> list[Line]:
        async with ground() as rooms, open_studio(rooms) as studio:
            servers = (
                [await rooms.registry.get(name) for name in names]
                if names
                else [server for server in await rooms.registry.list() if server.enabled]
            )
            if as_json or not servers or not is_terminal():
                return await _check_all(studio, servers, lambda _: None)
            with LiveDisplay(console=console(), auto_refresh=False) as display:

                def show(lines: list[Line]) -> None:
                    display.update(make_table(COLUMNS, [line.row for line in lines]), refresh=True)

                return await _check_all(studio, servers, show)

    lines = run(work)
    if as_json:
        print_json([line.as_json() for line in lines])
    elif not lines:
        say("No server is enabled. `toolweave servers list` shows all.")
    elif not is_terminal():
        print_table(COLUMNS, [line.row for line in lines])
    return 0 if all(line.state == "ready" for line in lines) else 1


async def _check_all(
    studio: Studio, servers: list[Server], show: Callable[[list[Line]], None]
) -> list[Line]:
    lines = {server.name: Line(server.name, "connecting") for server in servers}
    show(list(lines.values()))

    async def check_one(server: Server) -> None:
        lines[server.name] = await _check_one(studio, server)
        show(list(lines.values()))

    async with anyio.create_task_group() as tasks:
        for server in servers:
            tasks.start_soon(check_one, server)
    return list(lines.values())


async def _check_one(studio: Studio, server: Server) -> Line:
    try:
        live = await studio.connections.use(server)
    except ToolweaveError as error:
        return Line(server.name, "failing", details=error.message, code=error.code)
    health = studio.connections.health(server)
    drift = studio.ground.lockfile.drift(server.name, live.tools.values())
    details = f"{len(drift)} tools differ from what was approved" if drift else None
    return Line(
        server.name,
        "ready",
        latency_ms=health.latency_ms,
        tools=health.tool_count,
        protocol=health.protocol_version,
        details=details,
    )
