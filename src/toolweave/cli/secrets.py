"""`toolweave secrets`: store values in the vault; they are never printed again."""

import sys
from getpass import getuser

import click

from toolweave.access.secret_binding import SecretBinding
from toolweave.access.secret_destinations import to_host
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, say, tell
from toolweave.errors import NotFound


@click.group(cls=HelpfulGroup)
def secrets() -> None:
    """Manage secrets in the vault; refer to them as ${vault:NAME}."""


@secrets.command("set")
@click.argument("name")
@click.option("--host", "hosts", multiple=True, help="A host that it may be sent to; repeatable.")
@json_option
def set_secret(name: str, hosts: tuple[str, ...], as_json: bool) -> None:
    """Store a secret, read from a prompt or standard input.

    Workflows can send it only to the hosts given here or with `toolweave secrets allow`; an MCP
    server gets it when its approved definition refers to it.
    """
    if sys.stdin.isatty():
        value = click.prompt("Value", hide_input=True, confirmation_prompt=True)
    else:
        value = sys.stdin.read().rstrip("\n")
    if not value:
        raise click.UsageError("the value is empty")
    in_home(lambda home: home.vault.store(name, value, hosts=hosts, by=getuser()))
    tell(
        as_json,
        {"stored": name},
        f"Stored. Use it as ${{vault:{name}}} in a server's environment or headers.",
    )


@secrets.command("list")
@json_option
def list_secrets(as_json: bool) -> None:
    """List the names of stored secrets."""

    async def work() -> list[str]:
        async with current_home() as home:
            return sorted(await home.vault.names())

    names = run(work)
    if as_json:
        print_json(names)
    elif names:
        say("\n".join(names))
    else:
        say("No secrets yet. `toolweave secrets set NAME` stores one.")


@secrets.command("allow")
@click.argument("name")
@click.argument("host")
@json_option
def allow_secret(name: str, host: str, as_json: bool) -> None:
    """Let workflows send a secret to one more host."""
    to = to_host(host)
    in_home(lambda home: home.vault.destinations.allow(name, to, by=getuser()))
    tell(as_json, {"allowed": name, "host": to.name}, f"{name!r} may be sent to {to.name!r}.")


@secrets.command("show")
@click.argument("name")
@json_option
def show_secret(name: str, as_json: bool) -> None:
    """Show where a secret may be sent; never its value."""

    async def work() -> SecretBinding:
        async with current_home() as home:
            for one in await home.vault.bindings():
                if one.name == name:
                    return one
            raise NotFound("SECRET_NOT_FOUND", f"the vault has no secret {name!r}")

    found = run(work)
    if as_json:
        print_json(found.as_json())
        return
    # Stored by an earlier release, a secret is bound when it is first used.
    none = "none" if found.is_bound else "the first that it is used with"
    say(f"hosts    {', '.join(found.hosts) or none}")
    say(f"servers  {', '.join(found.servers) or 'none'}")


@secrets.command("remove")
@click.argument("name")
@json_option
def remove_secret(name: str, as_json: bool) -> None:
    """Delete a secret."""
    in_home(lambda home: home.vault.delete(name))
    tell(as_json, {"removed": name}, f"Removed {name!r}.")
