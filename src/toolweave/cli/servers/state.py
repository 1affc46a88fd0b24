"""`toolweave servers enable|disable|remove|sign-out`."""

import shlex

import click

from toolweave.app.studio import open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say, tell
from toolweave.servers.checks import check_server
from toolweave.servers.removal import remove_server
from toolweave.servers.sign_in_entry import forget_sign_in
from toolweave.servers.summary import ServerSummary, details_of, record_of, summarize_server


@click.command()
@click.argument("name", shell_complete=server_names)
@json_option
def enable(name: str, as_json: bool) -> None:
    """Enable a server, reset its failure count and connect to it."""

    async def work() -> ServerSummary:
        async with current_home() as home:
            server = await home.registry.enable(name)
            if server.is_approved:
                async with open_studio(home) as studio:
                    await check_server(studio.connections, home.lockfile, server)
                server = await home.registry.get(name)
            waits_s = home.settings.retry.waits_s
            return await summarize_server(home.pings, home.lockfile, server, waits_s)

    line = run(work)
    if as_json:
        print_json(record_of(line).as_json())
        return
    say(f"Enabled {name!r}.")
    if not line.server.is_approved:
        say(f"It is not approved yet: `toolweave servers approve {shlex.quote(name)}`.")
    elif details := details_of(line.server, line.health):
        say(f"It does not answer: {details}", stderr=True)


@click.command()
@click.argument("name", shell_complete=server_names)
@json_option
def disable(name: str, as_json: bool) -> None:
    """Disable a server until it is enabled again."""

    async def work() -> ServerSummary:
        async with current_home() as home:
            server = await home.registry.disable(name)
            waits_s = home.settings.retry.waits_s
            return await summarize_server(home.pings, home.lockfile, server, waits_s)

    line = run(work)
    tell(as_json, record_of(line).as_json(), f"Disabled {name!r}.")


@click.command()
@click.argument("name", shell_complete=server_names)
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a server, its approval, its pinned tools and its sign-in."""

    async def work() -> None:
        async with current_home() as home:
            await remove_server(home.registry, home.lockfile, home.vault, name)

    run(work)
    tell(
        as_json,
        {"removed": name},
        f"Removed {name!r}. Configurations of other clients are unchanged.",
    )


@click.command("sign-out")
@click.argument("name", shell_complete=server_names)
@json_option
def sign_out(name: str, as_json: bool) -> None:
    """Delete the tokens of an OAuth sign-in; the server itself may keep the session."""

    async def work() -> bool:
        async with current_home() as home:
            server = await home.registry.get(name)
            return await forget_sign_in(server.name, home.vault)

    was_signed_in = run(work)
    line = f"Signed out of {name!r}." if was_signed_in else f"Nobody was signed in to {name!r}."
    tell(as_json, {"name": name, "signedIn": False, "wasSignedIn": was_signed_in}, line)
