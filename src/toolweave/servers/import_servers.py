"""Import servers of other clients: registered unapproved; their files stay unchanged."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from toolweave.errors import Invalid
from toolweave.json_record import JsonRecord, ProblemRecord
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


class DiscoveredServerRecord(JsonRecord):
    """A server configured for another client, and what came of importing it."""

    name: str
    scope: str
    client: str
    type: str | None
    found_in: str
    pointer: str
    shadowed_by: str | None
    disabled: bool
    # Any: problems leave out what they do not have.
    problems: list[ProblemRecord]
    import_: str | None = Field(serialization_alias="import")
    claude_status: str | None


class DiscoveryRecord(JsonRecord):
    """Servers configured for other clients, and the problems of their files."""

    servers: list[DiscoveredServerRecord]
    # Any: as above.
    file_problems: list[dict[str, Any]]


def discovery_record(
    discovery: Discovery,
    imported: Mapping[int, str] | None = None,
    statuses: Mapping[str, str] | None = None,
) -> DiscoveryRecord:
    """Return the discovered servers with import outcomes by index and `claude` status by name."""
    servers = [
        DiscoveredServerRecord(
            name=found.name,
            scope=found.scope,
            client=found.client,
            type=transport_of(found.definition) if found.definition else None,
            found_in=str(found.path),
            pointer=found.pointer,
            shadowed_by=str(found.shadowed_by.path) if found.shadowed_by else None,
            disabled=found.disabled,
            problems=[ProblemRecord.of(problem.as_json()) for problem in found.problems],
            import_=(imported or {}).get(index),
            claude_status=(statuses or {}).get(found.name),
        )
        for index, found in enumerate(discovery.found)
    ]
    problems = [
        {"path": str(problem.path), **problem.problem.as_json()}
        for problem in discovery.file_problems
    ]
    return DiscoveryRecord(servers=servers, file_problems=problems)
