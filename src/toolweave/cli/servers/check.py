"""`toolweave servers check`: ping servers concurrently and show a live table."""

from collections.abc import Callable

import anyio
import click
from rich.live import Live as LiveDisplay
from rich.table import Table

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.session import current_home, run
from toolweave.cli.styled import console, table_of
from toolweave.cli.terminal import (
    cells_of,
    is_terminal,
    json_option,
    print_json,
    print_table,
    say,
)
from toolweave.servers.checks import ServerCheck, check_server, server_check
from toolweave.servers.definition import Server

COLUMNS = ("name", "state", "latency", "tools", "protocol", "details")


@click.command()
@click.argument("names", nargs=-1, shell_complete=server_names)
@json_option
def check(names: tuple[str, ...], as_json: bool) -> int:
    """Ping all enabled servers, or those named, concurrently.

    Exits with 1 if one of them does not answer.
    """

    async def work() -> list[ServerCheck]:
        async with current_home() as home, open_studio(home) as studio:
            servers = (
                [await home.registry.get(name) for name in names]
                if names
                else [server for server in await home.registry.list() if server.enabled]
            )
            if as_json or not servers or not is_terminal():
                return await _check_all(studio, servers, lambda _: None)
            with LiveDisplay(console=console(), auto_refresh=False) as display:

                def show(lines: list[ServerCheck]) -> None:
                    display.update(_table(lines), refresh=True)

                return await _check_all(studio, servers, show)

    lines = run(work)
    if as_json:
        print_json([line.as_json() for line in lines])
    elif not lines:
        say("No server is enabled. `toolweave servers list` shows all.")
    elif not is_terminal():
        print_table(COLUMNS, [_row(line) for line in lines])
    return 0 if all(line.state == "ready" for line in lines) else 1


async def _check_all(
    studio: Studio, servers: list[Server], show: Callable[[list[ServerCheck]], None]
) -> list[ServerCheck]:
    lines = {server.name: server_check(server.name, "connecting") for server in servers}
    show(list(lines.values()))

    async def check_one(server: Server) -> None:
        lines[server.name] = await check_server(studio.connections, studio.home.lockfile, server)
        show(list(lines.values()))

    async with anyio.create_task_group() as tasks:
        for server in servers:
            tasks.start_soon(check_one, server)
    return list(lines.values())


def _table(lines: list[ServerCheck]) -> Table:
    return table_of(COLUMNS, cells_of([_row(line) for line in lines]))


def _row(line: ServerCheck) -> tuple[str | None, ...]:
    latency = f"{line.latency_ms:.0f} ms" if line.latency_ms is not None else None
    tools = str(line.tool_count) if line.tool_count is not None else None
    return (line.name, line.state, latency, tools, line.protocol_version, line.details)
