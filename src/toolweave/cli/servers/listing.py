"""`toolweave servers list`: every registered server and its state."""

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.servers.definition import transport_of
from toolweave.servers.summary import (
    ServerSummary,
    details_of,
    record_of,
    state_of,
    summarize_server,
)

# Hints for states, printed once below the table.
NEXT = {
    "not approved": "`toolweave servers approve NAME` shows what would be started and approves it.",
    "changed": "`toolweave servers approve NAME` shows what changed and approves it.",
    "auto-disabled": "`toolweave servers enable NAME` enables a disabled server.",
    "disabled": "`toolweave servers enable NAME` enables a disabled server.",
    "not tried": "`toolweave servers check` pings servers that were not checked yet.",
}


@click.command("list")
@json_option
def list_servers(as_json: bool) -> None:
    """List registered servers with state, latency, tool count and problems."""

    async def work() -> list[ServerSummary]:
        async with current_home() as home:
            return [
                await summarize_server(
                    home.pings, home.lockfile, server, home.settings.retry.waits_s
                )
                for server in await home.registry.list()
            ]

    lines = run(work)
    if as_json:
        print_json([record_of(line).as_json() for line in lines])
    elif lines:
        columns = ("name", "state", "transport", "latency", "tools", "details")
        print_table(columns, [row(line) for line in lines])
        states = [state_of(line.server, line.health) for line in lines]
        for hint in dict.fromkeys(NEXT[state] for state in states if state in NEXT):
            say(hint, stderr=True)
    else:
        say(
            "No servers yet. `toolweave servers discover --import` imports those of other "
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
