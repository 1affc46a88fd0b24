"""`toolweave servers list`: every registered server, its state and why."""

import click

from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.servers.definition import transport_of
from toolweave.servers.summary import (
    ServerSummary,
    details_of,
    state_of,
    summarize_server,
    summary_as_json,
)

# What to do about a state, said once below the table.
NEXT = {
    "not approved": "`toolweave servers approve NAME` shows what would be started, and allows it.",
    "changed": "`toolweave servers approve NAME` shows what changed, and allows it.",
    "auto-disabled": "`toolweave servers enable NAME` switches a disabled server on again.",
    "disabled": "`toolweave servers enable NAME` switches a disabled server on again.",
    "not tried": "`toolweave servers check` tries those that were not tried yet.",
}


@click.command("list")
@json_option
def list_servers(as_json: bool) -> None:
    """List registered servers with state, latency, tool count and what is wrong."""

    async def work() -> list[ServerSummary]:
        async with home() as rooms:
            return [
                await summarize_server(rooms.pings, rooms.lockfile, server)
                for server in await rooms.registry.list()
            ]

    lines = run(work)
    if as_json:
        print_json([summary_as_json(line) for line in lines])
    elif lines:
        columns = ("name", "state", "transport", "latency", "tools", "details")
        print_table(columns, [row(line) for line in lines])
        states = [state_of(line.server, line.health) for line in lines]
        for hint in dict.fromkeys(NEXT[state] for state in states if state in NEXT):
            say(hint, stderr=True)
    else:
        say(
            "No servers yet. `toolweave servers discover --import` takes over those of other "
            "clients,\n`toolweave servers add demo -- toolweave demo-server` adds a sample."
        )


def row(line: ServerSummary) -> tuple[str | None, ...]:
    """One line of the table."""
    server, health = line.server, line.health
    latency = f"{health.latency_ms:.0f} ms" if health.latency_ms is not None else None
    tools = health.tool_count if health.tool_count is not None else line.pinned
    return (
        server.name,
        state_of(server, health),
        transport_of(server.definition),
        latency,
        str(tools) if tools else None,
        details_of(server, health),
    )
