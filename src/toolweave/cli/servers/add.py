"""`toolweave servers add`: a command line, an address, an image or pasted JSON becomes a server."""

import sys
from pathlib import Path
from typing import Any

import click

from toolweave.app.ground import Ground
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import json_option, print_json
from toolweave.errors import Invalid
from toolweave.servers.definition import Definition
from toolweave.servers.pasted import from_command_line, from_image, from_url, read_pasted


class SplitAtDashes(click.Command):
    """Keeps what stands after `--` apart, so that a program's own options stay its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the arguments at the first `--`."""
        if "--" in args:
            cut = args.index("--")
            ctx.obj = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)


@click.command(cls=SplitAtDashes)
@click.argument("name", required=False)
@click.argument("url", required=False)
@click.option("--from", "file", help='Read {"mcpServers": …} JSON from FILE, or - for stdin.')
@click.option("--image", help="Run a container image as the server.")
@click.option("--env", "-e", multiple=True, metavar="K=V", help="Environment of the server.")
@click.option("--header", "-H", multiple=True, metavar="K=V", help="HTTP header to send.")
@click.option("--cwd", help="Directory to start the command in.")
@click.option("--sse", is_flag=True, help="The address speaks the older SSE transport.")
@click.option("--oauth", is_flag=True, help="The address wants an OAuth sign-in.")
@click.option("--sandbox", is_flag=True, help="Start the command in a bubblewrap sandbox.")
@click.option("--writable", multiple=True, metavar="DIR", help="Let the sandbox write here.")
@click.option("--no-network", is_flag=True, help="No network for the sandbox or container.")
@click.option("--port", multiple=True, metavar="CONTAINER=HOST", help="Publish a port.")
@click.option("--memory-mb", type=click.IntRange(min=16), default=512, show_default=True)
@click.option("--pids", type=click.IntRange(min=8), default=256, show_default=True)
@click.option("--container-name")
@json_option
@click.pass_context
def add(ctx: click.Context, /, **given: Any) -> None:
    """Register a server; nothing is started.

    \b
    toolweave servers add NAME -- COMMAND ARG…
    toolweave servers add NAME URL [--header K=V]
    toolweave servers add NAME --image IMAGE [-- COMMAND ARG…]
    toolweave servers add --from FILE

    Values may hold ${VAR}, ${VAR:-default} or ${vault:NAME}; they are filled in at the start.
    """
    entries = _entries(given, ctx.obj or ())

    async def work() -> list[str]:
        async with ground() as rooms:
            return await _register(rooms, entries)

    names = run(work)
    if given["as_json"]:
        print_json(names)
        return
    for name in names:
        click.echo(f"Added {name!r}. Next: `toolweave servers approve {name}`.")


def _entries(given: dict[str, Any], argv: tuple[str, ...]) -> list[tuple[str, Definition]]:
    ways = [bool(given["url"]), bool(given["file"]), bool(given["image"] or argv)]
    if sum(ways) != 1:
        raise click.UsageError(
            "give exactly one of: a command after `--`, a URL, --image IMAGE, --from FILE"
        )
    if given["file"]:
        return _from_file(given["file"], given["name"])
    if not given["name"]:
        raise click.UsageError("the server needs a name")
    return [(given["name"], _definition(given, argv))]


def _definition(given: dict[str, Any], argv: tuple[str, ...]) -> Definition:
    if given["url"]:
        transport = "sse" if given["sse"] else "http"
        headers = _pairs(given["header"], "--header")
        made = from_url(given["url"], headers, transport)
        return made.model_copy(update={"oauth": given["oauth"]})
    env = _pairs(given["env"], "--env")
    if given["image"]:
        network = not given["no_network"]
        made = from_image(given["image"], command=argv, env=env, network=network)
        return made.model_copy(
            update={
                "container_name": given["container_name"],
                "ports": _ports(given["port"]),
                "memory_mb": given["memory_mb"],
                "pids": given["pids"],
            }
        )
    return from_command_line(_ours(argv), env=env, cwd=given["cwd"]).model_copy(
        update={
            "runner": "bubblewrap" if given["sandbox"] else "plain",
            "writable_paths": tuple(str(Path(path).absolute()) for path in given["writable"]),
            "network": not given["no_network"],
        }
    )


def _ports(given: tuple[str, ...]) -> dict[str, int]:
    ports: dict[str, int] = {}
    for inside, outside in _pairs(given, "--port").items():
        if not outside.isdecimal() or not 0 < int(outside) < 65_536:
            raise click.UsageError(f"--port takes CONTAINER=HOST numbers, not {outside!r}")
        ports[inside] = int(outside)
    return ports


def _ours(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`toolweave …` as the very program that is running, wherever it is called from later."""
    if argv and argv[0] == "toolweave":
        return (sys.executable, "-m", "toolweave.cli.main", *argv[1:])
    return argv


def _from_file(file: str, name: str | None) -> list[tuple[str, Definition]]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read: {error}") from None
    entries, problems = read_pasted(text, name=name)
    if problems and (not entries or any(problem.severity == "error" for problem in problems)):
        raise Invalid("SERVER_DEFINITION_INVALID", f"{file} cannot be used", problems=problems)
    return entries


def _pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"{option} takes K=V, not {pair!r}")
        pairs[key] = value
    return pairs


async def _register(rooms: Ground, entries: list[tuple[str, Definition]]) -> list[str]:
    return [(await rooms.registry.add(name, definition)).name for name, definition in entries]
