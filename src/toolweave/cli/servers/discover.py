"""`toolweave servers discover`: what other clients have configured, and taking it over."""

from typing import Any

import click

from toolweave.app.ground import Ground
from toolweave.cli.places import here
from toolweave.cli.rooms import ground, run
from toolweave.cli.terminal import json_option, print_json, print_table
from toolweave.errors import Invalid
from toolweave.servers.definition import definition_hash, transport_of
from toolweave.servers.discovery.claude_cli import claude_mcp_list
from toolweave.servers.discovery.client import Found
from toolweave.servers.discovery.search import Discovery, discover_all

CLI_TIMEOUT_S = 60.0


@click.command()
@click.option("--import", "importing", is_flag=True, help="Register what was found, unapproved.")
@click.option("--claude", "ask_claude", is_flag=True, help="Also run `claude mcp list` to compare.")
@json_option
def discover(importing: bool, ask_claude: bool, as_json: bool) -> None:
    """List the servers configured for Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini.

    Their files are read, never written.
    """
    discovery = discover_all(here())
    statuses: dict[str, str] = {}
    if ask_claude:
        listed = run(lambda: claude_mcp_list(CLI_TIMEOUT_S, places=here()))
        statuses = {line.name: line.said for line in listed}
    imported = run(lambda: _import(discovery)) if importing else {}
    if as_json:
        print_json(_as_dict(discovery, imported, statuses))
        return
    _show(discovery, imported, statuses)


def _show(discovery: Discovery, imported: dict[int, str], statuses: dict[str, str]) -> None:
    if not discovery.found and not discovery.file_problems:
        click.echo(
            "No other client has MCP servers configured here. "
            "`toolweave servers add demo -- toolweave demo-server` adds a sample."
        )
    if discovery.found:
        print_table(
            ("name", "scope", "client", "transport", "found in", "details"),
            [
                (
                    found.name,
                    found.scope,
                    found.client,
                    transport_of(found.definition) if found.definition else "?",
                    str(found.path),
                    _details(found, imported.get(index), statuses),
                )
                for index, found in enumerate(discovery.found)
            ],
        )
    for problem in discovery.file_problems:
        click.echo(f"! {problem.path}: {problem.problem.message}", err=True)
    if imported:
        click.echo("\nNothing is started before you approve it: `toolweave servers approve NAME`.")


def _details(found: Found, imported: str | None, statuses: dict[str, str]) -> str | None:
    notes = [problem.message for problem in found.problems]
    if found.shadowed_by:
        notes.append(f"hidden by {found.shadowed_by.scope} scope: {found.shadowed_by.path}")
    if found.disabled:
        notes.append("disabled there")
    if imported:
        notes.append(imported)
    if found.client == "Claude Code" and found.name in statuses:
        notes.append(f"claude says: {statuses[found.name]}")
    return "; ".join(notes) or None


async def _import(discovery: Discovery) -> dict[int, str]:
    done: dict[int, str] = {}
    async with ground() as rooms:
        for index, found in enumerate(discovery.found):
            if found.definition is not None and not found.shadowed_by:
                done[index] = await _import_one(rooms, found)
    return done


async def _import_one(rooms: Ground, found: Found) -> str:
    assert found.definition is not None
    taken = {server.name: server for server in await rooms.registry.list()}
    wanted = definition_hash(found.definition)
    names = _names_for(found)
    for name in names:
        if name in taken and definition_hash(taken[name].definition) == wanted:
            return f"already registered as {name}"
    free = next(name for name in names if name not in taken)
    try:
        await rooms.registry.add(
            free, found.definition, scope=found.scope, found_in=str(found.path)
        )
    except Invalid as error:
        return f"not imported: {error.message}"
    return f"imported as {free}"


def _names_for(found: Found) -> list[str]:
    """The server's own name, then names that tell whose it is, for when that one is taken."""
    of_client = f"{found.name}-{found.client.lower().replace(' ', '-')}"
    return [found.name, of_client, *(f"{of_client}-{number}" for number in range(2, 1_000))]


def _as_dict(
    discovery: Discovery, imported: dict[int, str], statuses: dict[str, str]
) -> dict[str, Any]:
    return {
        "servers": [
            {
                "name": found.name,
                "scope": found.scope,
                "client": found.client,
                "type": transport_of(found.definition) if found.definition else None,
                "foundIn": str(found.path),
                "pointer": found.pointer,
                "shadowedBy": str(found.shadowed_by.path) if found.shadowed_by else None,
                "disabled": found.disabled,
                "problems": [problem.as_json() for problem in found.problems],
                "import": imported.get(index),
                "claudeStatus": statuses.get(found.name),
            }
            for index, found in enumerate(discovery.found)
        ],
        "fileProblems": [
            {"path": str(problem.path), **problem.problem.as_json()}
            for problem in discovery.file_problems
        ],
    }
