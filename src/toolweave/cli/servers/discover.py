"""`toolweave servers discover`: list and import servers configured for other clients."""

import os
from pathlib import Path

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.servers.definition import transport_of
from toolweave.servers.discovery.claude_cli import claude_mcp_list
from toolweave.servers.discovery.client import DiscoveredServer
from toolweave.servers.discovery.search import Discovery, discover_all
from toolweave.servers.import_servers import client_locations, discovery_record, import_server

CLI_TIMEOUT_S = 60.0


@click.command()
@click.option("--import", "importing", is_flag=True, help="Register the servers found, unapproved.")
@click.option(
    "--claude", "ask_claude", is_flag=True, help="Also run `claude mcp list` and compare."
)
@json_option
def discover(importing: bool, ask_claude: bool, as_json: bool) -> None:
    """List the servers configured for other MCP clients, such as Claude Code, Cursor or VS Code.

    Their files are read, never written.
    """
    discovery = discover_all(client_locations(os.environ))
    statuses: dict[str, str] = {}
    if ask_claude:
        listed = run(lambda: claude_mcp_list(CLI_TIMEOUT_S, places=client_locations(os.environ)))
        statuses = {line.name: line.said for line in listed}
    imported = run(lambda: _import(discovery)) if importing else {}
    if as_json:
        print_json(discovery_record(discovery, imported, statuses).as_json())
        return
    _show(discovery, imported, statuses)


def _show(discovery: Discovery, imported: dict[int, str], statuses: dict[str, str]) -> None:
    if not discovery.found and not discovery.file_problems:
        say(
            "No MCP servers are configured for other clients.\n"
            "`toolweave servers add demo -- toolweave demo-server` adds a sample."
        )
    groups: dict[str, list[tuple[str, ...]]] = {}
    for index, found in enumerate(discovery.found):
        heading = f"{found.client}, {found.scope} scope: {_short(found.path)}"
        transport = transport_of(found.definition) if found.definition else "?"
        details = _details(found, imported.get(index), statuses)
        groups.setdefault(heading, []).append((found.name, transport, details))
    for heading, rows in groups.items():
        say((heading, "bold"))
        print_table(("", "", ""), rows, indent=2)
    for problem in discovery.file_problems:
        say(f"! {_short(problem.path)}: {problem.problem.message}", stderr=True)
    if imported:
        say("Nothing starts until you approve it: `toolweave servers approve NAME`.")
    elif discovery.found:
        say("`toolweave servers discover --import` registers them here, unapproved.", stderr=True)


def _short(path: Path) -> str:
    """The path with `~` for the home directory."""
    home = client_locations(os.environ).home
    return str(Path("~") / path.relative_to(home)) if path.is_relative_to(home) else str(path)


def _details(found: DiscoveredServer, imported: str | None, statuses: dict[str, str]) -> str:
    notes: list[str] = []
    for problem in found.problems:
        at = problem.pointer.removeprefix(found.pointer).strip("/")
        notes.append(f"{at}: {problem.message}" if at else problem.message)
    if found.shadowed_by:
        where = "" if found.shadowed_by.path == found.path else f" in {found.shadowed_by.path}"
        notes.append(f"overridden by {found.shadowed_by.scope} scope{where}")
    if found.disabled:
        notes.append("disabled there")
    if imported:
        notes.append(imported)
    if found.client == "Claude Code" and found.name in statuses:
        notes.append(f"claude reports: {statuses[found.name]}")
    return "; ".join(notes)


async def _import(discovery: Discovery) -> dict[int, str]:
    done: dict[int, str] = {}
    async with current_home() as home:
        for index, found in enumerate(discovery.found):
            if found.definition is not None and not found.shadowed_by:
                done[index] = await import_server(home.registry, found)
    return done
