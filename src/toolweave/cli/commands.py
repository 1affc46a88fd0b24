"""`toolweave commands`: programs that workflows may run by name."""

import shlex

import click

from toolweave.app.studio import open_studio
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.prompts import confirm
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.json_text import Json, JsonObject
from toolweave.resources.commands import launch_of
from toolweave.servers.commands import Commands, RegisteredCommand
from toolweave.servers.definition import CommandServer, definition_hash

NONE_YET = "No commands yet. `toolweave commands add NAME -- PROGRAM ARGUMENT…` registers one."


@click.group(cls=HelpfulGroup)
def commands() -> None:
    """Register programs that workflows may run by name (ACTION.RUN_COMMAND)."""


@commands.command("add")
@click.argument("name")
@click.argument("argv", nargs=-1, required=True, metavar="-- PROGRAM [ARGUMENT]…")
@click.option(
    "--env", "env", multiple=True, metavar="NAME=VALUE", help="Set an environment variable."
)
@click.option("--cwd", help="Working directory.")
@click.option(
    "--runner",
    type=click.Choice(["plain", "bubblewrap"]),
    default="plain",
    show_default=True,
    help="`bubblewrap` runs it in a sandbox.",
)
@click.option(
    "--writable", multiple=True, metavar="PATH", help="Directory the sandbox may write to."
)
@click.option(
    "--network/--no-network",
    default=None,
    help="Whether the sandbox has a network; by default not.",
)
@json_option
def add(
    name: str,
    argv: tuple[str, ...],
    env: tuple[str, ...],
    cwd: str | None,
    runner: str,
    writable: tuple[str, ...],
    network: bool | None,
    as_json: bool,
) -> None:
    """Register a program; it runs only after `toolweave commands approve`.

    Arguments may have placeholders that a workflow fills: `{path}`, `{count:integer}`.
    """
    wrong = next((one for one in env if "=" not in one), None)
    if wrong is not None:
        raise click.UsageError(f"--env {wrong!r} is not NAME=VALUE")
    definition = CommandServer.model_validate(
        {
            "command": argv[0],
            "args": argv[1:],
            "env": dict(one.split("=", 1) for one in env),
            "cwd": cwd,
            "runner": runner,
            "writable_paths": writable,
            "network": network is True or runner == "plain",
        }
    )
    added = in_home(lambda home: Commands(home.database, home.clock).add(name, definition))
    if as_json:
        print_json(_as_dict(added))
    else:
        say(f"Added {name!r}: {shlex.join(argv)}")
        say(f"`toolweave commands approve {name}` allows it to run.")


@commands.command("list")
@json_option
def list_commands(as_json: bool) -> None:
    """List the registered programs."""
    found = in_home(lambda home: Commands(home.database, home.clock).list())
    if as_json:
        print_json([_as_dict(one) for one in found])
    elif found:
        print_table(
            ("name", "approved", "command"),
            [(one.name, "yes" if one.is_approved else "no", _line(one)) for one in found],
        )
    else:
        say(NONE_YET)


@commands.command("approve")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Approve without asking; for scripts.")
@json_option
def approve(name: str, yes: bool, as_json: bool) -> int:
    """Show exactly what would be run, and approve it.

    The approval applies to this exact definition. --json does not prompt: without --yes you
    get what would be approved and exit code 1.
    """

    async def work() -> tuple[RegisteredCommand, bool]:
        async with current_home() as home, open_studio(home) as studio:
            registry = Commands(home.database, home.clock)
            found = await registry.get(name)
            launch = await launch_of(studio.transports, found)
            if not as_json:
                shown = home.masker.mask_text(shlex.join(launch.argv))
                say(f"Runs: {shown}")
                say(f"Directory: {launch.cwd or 'the current directory'}")
                holes = ", ".join(f"{one} ({kind})" for one, kind in found.holes.items())
                say(f"Placeholders: {holes or 'none'}")
                variables = ", ".join(sorted(found.definition.env))
                say(f"Environment: {variables or 'nothing added'}")
            is_agreed = yes or (not as_json and await confirm("Approve this command?"))
            if is_agreed:
                found = await registry.approve(name, definition_hash(found.definition))
            return found, is_agreed

    found, is_agreed = run(work)
    tell(
        as_json,
        {"approved": is_agreed, **_as_dict(found)},
        f"Approved {name!r}." if is_agreed else "Not approved.",
    )
    return 0 if is_agreed else 1


@commands.command("remove")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a program."""
    in_home(lambda home: Commands(home.database, home.clock).remove(name))
    tell(as_json, {"removed": name}, f"Removed {name!r}.")


def _line(one: RegisteredCommand) -> str:
    return shlex.join((one.definition.command, *one.definition.args))


def _as_dict(one: RegisteredCommand) -> JsonObject:
    definition = one.definition
    argv: list[Json] = [definition.command, *definition.args]
    variables: list[Json] = [*sorted(definition.env)]
    return {
        "name": one.name,
        "argv": argv,
        "env": variables,
        "cwd": definition.cwd,
        "runner": definition.runner,
        "holes": {**one.holes},
        "approved": one.is_approved,
        "hash": definition_hash(definition),
    }
