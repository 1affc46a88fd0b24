"""`toolweave servers enable|disable|remove`."""

import shlex

import click

from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.servers.summary import ServerSummary, summarize_server, summary_as_json


@click.command()
@click.argument("name")
@json_option
def enable(name: str, as_json: bool) -> None:
    """Switch a server on; failures of the past are forgotten."""

    async def work() -> ServerSummary:
        async with home() as rooms:
            return await summarize_server(
                rooms.pings, rooms.lockfile, await rooms.registry.enable(name)
            )

    line = run(work)
    if as_json:
        print_json(summary_as_json(line))
        return
    say(f"Enabled {name!r}.")
    if not line.server.is_approved:
        say(f"It is not approved yet: `toolweave servers approve {shlex.quote(name)}`.")


@click.command()
@click.argument("name")
@json_option
def disable(name: str, as_json: bool) -> None:
    """Switch a server off until somebody enables it."""

    async def work() -> ServerSummary:
        async with home() as rooms:
            return await summarize_server(
                rooms.pings, rooms.lockfile, await rooms.registry.disable(name)
            )

    line = run(work)
    if as_json:
        print_json(summary_as_json(line))
    else:
        say(f"Disabled {name!r}.")


@click.command()
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Forget a server, its approval and its pinned tools."""

    async def work() -> None:
        async with home() as rooms:
            await rooms.registry.remove(name)
            rooms.lockfile.unpin(name)

    run(work)
    if as_json:
        print_json({"removed": name})
    else:
        say(f"Removed {name!r}. Other clients' configuration is untouched.")
