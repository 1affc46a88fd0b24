"""`toolweave servers approve`: show exactly what would be started, then record the yes."""

import shlex

import click

from toolweave.access.expand import references
from toolweave.app.studio import Studio, open_studio
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import confirm, console, visible
from toolweave.errors import ToolweaveError
from toolweave.servers.definition import (
    Command,
    Container,
    Http,
    Server,
    Sse,
    definition_hash,
    runner_of,
    transport_of,
)
from toolweave.servers.lockfile import Drift
from toolweave.servers.opening import templates_of
from toolweave.tools.tool import Tool

SHOWN_TOOLS = 40


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask; for scripts that know what they approve.")
@click.option("--changes", is_flag=True, help="Accept how the server's tools changed.")
def approve(name: str, yes: bool, changes: bool) -> int:
    """Look at exactly what would be started, and allow it.

    The approval holds for this very definition and for the tools it lists now; when either
    changes, calls are refused until you approve again.
    """

    async def work() -> int:
        async with ground() as rooms, open_studio(rooms) as studio:
            server = await rooms.registry.get(name)
            if not server.is_approved and not await _approve_definition(studio, server, yes):
                return 1
            return await _approve_tools(studio, name, yes=yes, changes=changes)

    return run(work)


async def _approve_definition(studio: Studio, server: Server, yes: bool) -> bool:
    await _show_definition(studio, server)
    if not yes and not confirm("Approve this server?"):
        click.echo("Not approved.")
        return False
    await studio.ground.registry.approve(server.name, definition_hash(server.definition))
    click.echo(f"Approved {server.name!r}.")
    return True


async def _show_definition(studio: Studio, server: Server) -> None:
    definition = server.definition
    lines: list[tuple[str, str]] = [
        ("server", server.name),
        ("transport", transport_of(definition)),
    ]
    match definition:
        case Command() | Container():
            launch = await studio.opener.launch(server)
            shown = studio.ground.masker.mask_argv(launch.argv)
            lines += [
                ("runner", runner_of(definition) or "-"),
                ("argv", "\n".join(f"[{i}] {part}" for i, part in enumerate(shown))),
                ("as typed", shlex.join(shown)),
                ("environment", ", ".join(sorted(definition.env)) or "nothing of its own"),
                ("directory", launch.cwd or "the current one"),
            ]
        case Http() | Sse():
            lines += [
                ("address", studio.ground.masker.mask_text(definition.url)),
                ("headers", ", ".join(sorted(definition.headers)) or "none of its own"),
                ("sign-in", "OAuth" if definition.oauth else "none"),
            ]
    asked = [item.text for text in templates_of(server).values() for item in references(text)]
    lines += [
        ("fills in", ", ".join(dict.fromkeys(asked)) or "nothing"),
        ("found in", server.found_in or "added by you"),
        ("hash", definition_hash(definition)),
    ]
    out = console()
    for label, text in lines:
        first, *rest = visible(text).split("\n")
        out.print(f"[bold]{label:>12}[/bold]  {first}")
        for line in rest:
            out.print(f"{'':>12}  {line}")


async def _approve_tools(studio: Studio, name: str, *, yes: bool, changes: bool) -> int:
    lockfile = studio.ground.lockfile
    try:
        tools = await studio.gate.tools(name)
    except ToolweaveError as error:
        click.echo(f"It could not be reached to pin its tools: {error.message}", err=True)
        if error.hint:
            click.echo(f"Hint: {error.hint}", err=True)
        return 1
    drift = lockfile.drift(name, tools)
    if not lockfile.pins(name):
        lockfile.pin(name, tools)
        _show_tools(tools, str(lockfile.path))
        return 0
    if not drift:
        click.echo(f"All {len(tools)} tools are as approved. Nothing to do.")
        return 0
    click.echo(f"{len(drift)} of its tools changed since they were approved:")
    for change in drift:
        _show_change(change)
    if not changes:
        click.echo(f"Accept with `toolweave servers approve {name} --changes`.")
        return 1
    if not yes and not confirm("Accept these changes?"):
        click.echo("Not accepted; the changed tools stay blocked.")
        return 1
    lockfile.pin(name, tools)
    click.echo(f"Pinned {len(tools)} tools in {lockfile.path}.")
    return 0


def _show_tools(tools: tuple[Tool, ...], path: str) -> None:
    click.echo(f"Pinned {len(tools)} tools in {path}:")
    out = console()
    for tool in tools[:SHOWN_TOOLS]:
        mark = "[yellow]![/yellow] " if tool.problems else "  "
        first_line = tool.description.strip().split("\n")[0][:100]
        out.print(f"{mark}{visible(tool.name)}  [dim]{visible(first_line)}[/dim]")
        for problem in tool.problems:
            out.print(f"      {visible(problem.message)}  [dim]{problem.code}[/dim]")
    if len(tools) > SHOWN_TOOLS:
        out.print(f"  … and {len(tools) - SHOWN_TOOLS} more")


def _show_change(change: Drift) -> None:
    out = console()
    out.print(f"  [bold]{visible(change.tool)}[/bold]  {change.kind}")
    for line in change.changes:
        out.print(f"      {visible(line.pointer or '/')}: {visible(line.message)}")
