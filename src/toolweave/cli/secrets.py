"""`toolweave secrets`: store values in the vault; they are never printed again."""

import sys

import click

from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, say, tell


@click.group(cls=HelpfulGroup)
def secrets() -> None:
    """Manage secrets in the vault; refer to them as ${vault:NAME}."""


@secrets.command("set")
@click.argument("name")
@json_option
def set_secret(name: str, as_json: bool) -> None:
    """Store a secret, read from a prompt or standard input."""
    if sys.stdin.isatty():
        value = click.prompt("Value", hide_input=True, confirmation_prompt=True)
    else:
        value = sys.stdin.read().rstrip("\n")
    if not value:
        raise click.UsageError("the value is empty")
    in_home(lambda home: home.vault.put(name, value))
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


@secrets.command("remove")
@click.argument("name")
@json_option
def remove_secret(name: str, as_json: bool) -> None:
    """Delete a secret."""
    in_home(lambda home: home.vault.delete(name))
    tell(as_json, {"removed": name}, f"Removed {name!r}.")
