"""`toolweave servers enable|disable|remove`."""

import shlex

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say, tell
from toolweave.servers.summary import ServerSummary, record_of, summarize_server


@click.command()
@click.argument("name")
@json_option
def enable(name: str, as_json: bool) -> None:
    """Enable a server and reset its failure count."""

    async def work() -> ServerSummary:
        async with current_home() as home:
            return await summarize_server(
                home.pings, home.lockfile, await home.registry.enable(name)
            )

    line = run(work)
    if as_json:
        print_json(record_of(line).as_json())
        return
    say(f"Enabled {name!r}.")
    if not line.server.is_approved:
        say(f"It is not approved yet: `toolweave servers approve {shlex.quote(name)}`.")


@click.command()
@click.argument("name")
@json_option
def disable(name: str, as_json: bool) -> None:
    """Disable a server until it is enabled again."""

    async def work() -> ServerSummary:
        async with current_home() as home:
            return await summarize_server(
                home.pings, home.lockfile, await home.registry.disable(name)
            )

    line = run(work)
    tell(as_json, record_of(line).as_json(), f"Disabled {name!r}.")


@click.command()
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a server, its approval and its pinned tools."""

    async def work() -> None:
        async with current_home() as home:
            await home.registry.remove(name)
            home.lockfile.unpin(name)

    run(work)
    tell(
        as_json,
        {"removed": name},
        f"Removed {name!r}. Configurations of other clients are unchanged.",
    )
