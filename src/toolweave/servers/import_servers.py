"""Import servers of other clients: registered unapproved; their files stay unchanged."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolweave.errors import Invalid
from toolweave.servers.config_entry import RESERVED_NAMES
from toolweave.servers.definition import definition_hash, transport_of
from toolweave.servers.discovery.client import DiscoveredServer
from toolweave.servers.discovery.locations import ClientLocations, Platform
from toolweave.servers.discovery.search import Discovery
from toolweave.servers.registry import Registry


def client_locations(environ: Mapping[str, str]) -> ClientLocations:
    """Return the locations of client files for this user, directory and platform."""
    known: dict[str, Platform] = {"darwin": "darwin", "win32": "win32"}
    return ClientLocations(
        home=Path(environ["HOME"]) if environ.get("HOME") else Path.home(),
        project=Path.cwd(),
        platform=known.get(sys.platform, "linux"),
        environ=dict(environ),
    )


async def import_server(registry: Registry, found: DiscoveredServer) -> str:
    """Register a discovered server and return the outcome as text."""
    assert found.definition is not None
    taken = {server.name: server for server in await registry.list()}
    wanted = definition_hash(found.definition)
    names = _names_for(found)
    for name in names:
        if name in taken and definition_hash(taken[name].definition) == wanted:
            return f"already registered as {name}"
    free = next(
        name for name in names if name not in taken and name.casefold() not in RESERVED_NAMES
    )
    try:
        await registry.add(free, found.definition, scope=found.scope, found_in=str(found.path))
    except Invalid as error:
        return f"not imported: {error.message}"
    return f"imported as {free}"


def _names_for(found: DiscoveredServer) -> list[str]:
    """Return the server's name, then alternatives with the client's name if it is taken."""
    of_client = f"{found.name}-{found.client.lower().replace(' ', '-')}"
    return [found.name, of_client, *(f"{of_client}-{number}" for number in range(2, 1_000))]


def discovery_as_json(
    discovery: Discovery, imported: Mapping[int, str], statuses: Mapping[str, str]
) -> dict[str, Any]:
    """Return the discovered servers with import outcomes by index and `claude` status by name."""
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
